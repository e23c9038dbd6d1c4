import type { Reflection } from '@parley/contracts'
import type { ReflectionSession } from '@parley/voice'

/** What a stored session, its share link and, for the public, what is published now have in common. */
export function namespacesNow(
  { namespaces, audience }: Pick<ReflectionSession, 'namespaces' | 'audience'>,
  ofLink: readonly string[] | undefined,
  { namespaces: all }: Pick<Reflection, 'namespaces'>,
): readonly string[] {
  const isSeen = (name: string) =>
    namespaces.includes(name) && (ofLink === undefined || ofLink.includes(name))
  return all
    .filter(({ name, isPublished }) => isSeen(name) && (audience === 'private' || isPublished))
    .map(({ name }) => name)
}
