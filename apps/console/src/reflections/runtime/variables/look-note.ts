import type { Audience, Role } from '@parley/contracts'

/** What there is to know of a choice. */
export function lookNote({ audience, role }: { readonly audience: Audience; readonly role: Role }): string {
  if (audience === 'public') {
    return role === 'guest'
      ? 'As a visitor, who is nobody: no recap, no context, nothing that is not published.'
      : 'Whoever comes by a link is a guest. This shows that another role would change nothing in public.'
  }
  return role === 'guest'
    ? 'Nobody comes in private as a guest. This shows what the table of actions would allow.'
    : 'Recap and context are your own, whatever the role: nobody sees what another has said.'
}
