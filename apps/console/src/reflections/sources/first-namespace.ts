import { CONVERSATIONS, type Namespace } from '@parley/contracts'

/** Where a source goes unless one says otherwise: a private namespace if there is one, so that nothing is public by oversight. Transcripts have theirs to themselves. */
export function firstNamespace(namespaces: readonly Namespace[]): string {
  const own = namespaces.filter(({ name }) => name !== CONVERSATIONS)
  const isPrivate = own.filter(({ isPublished }) => !isPublished)
  const general = isPrivate.find(({ name }) => name === 'general')
  return (general ?? isPrivate[0] ?? own[0])?.name ?? ''
}
