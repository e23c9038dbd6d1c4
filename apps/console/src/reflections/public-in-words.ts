import type { Namespace } from '@parley/contracts'

/** What of a reflection is public. */
export function publicInWords(namespaces: readonly Namespace[]): string {
  const names = namespaces.filter(({ isPublished }) => isPublished).map(({ name }) => name)
  return names.length === 0 ? 'nothing is public' : `public: ${names.join(', ')}`
}
