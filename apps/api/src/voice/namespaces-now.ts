import type { Reflection } from '@parley/contracts'
import type { ReflectionSession } from '@parley/reflections'

/** What a stored session, its share link or its person's reach, and, for the public, what is published now have in common. */
export function namespacesNow(
  { namespaces, sessionAudience }: Pick<ReflectionSession, 'namespaces' | 'sessionAudience'>,
  bound: readonly string[] | undefined,
  { namespaces: all }: Pick<Reflection, 'namespaces'>,
): readonly string[] {
  const isSeen = (name: string) => namespaces.includes(name) && (bound === undefined || bound.includes(name))
  return all
    .filter(({ name, isPublished }) => isSeen(name) && (sessionAudience === 'private' || isPublished))
    .map(({ name }) => name)
}
