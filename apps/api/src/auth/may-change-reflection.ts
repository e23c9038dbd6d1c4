import { type ChangeReflection, type MemberRole, PlatformError } from '@parley/contracts'

/**
 * What is the owner's alone to say: that a voice may be used, that visitors are learned from, and that nobody has to
 * approve what was said. Throws where it is not.
 */
export function mayChangeReflection(
  role: MemberRole,
  { voice, shareIngestion, conversationApproval }: ChangeReflection,
): void {
  if (role === 'owner') return
  if (voice?.consent || voice?.kind === 'stock') {
    throw onlyOwner(
      'that a voice may be used: by consent, or since it is nobody’s. Leave out consent and kind',
    )
  }
  if (shareIngestion !== undefined) throw onlyOwner('whether what visitors say is learned from')
  if (conversationApproval !== undefined)
    throw onlyOwner('whether facts of what is said in sessions wait for a person')
}

const onlyOwner = (what: string) =>
  new PlatformError('forbidden', { message: `Only the owner of the reflection says ${what}.` })
