import { CONVERSATIONS, type Namespace, type Reflection } from '@parley/contracts'

/** Where a source goes unless one says otherwise: a private namespace if there is one, so that nothing is public by oversight. */
export function firstNamespace(reflection: OfReader): string {
  const own = writableNamespaces(reflection)
  const isPrivate = own.filter(({ isPublished }) => !isPublished)
  const general = isPrivate.find(({ name }) => name === 'general')
  return (general ?? isPrivate[0] ?? own[0])?.name ?? ''
}

type OfReader = Pick<Reflection, 'namespaces' | 'reads'>

/** Where who looks may add sources: not to every namespace that they read. Transcripts have theirs to themselves. */
export const writableNamespaces = ({ namespaces, reads = 'all' }: OfReader): readonly Namespace[] =>
  namespaces.filter(({ name }) => name !== CONVERSATIONS && (reads === 'all' || reads.includes(name)))
