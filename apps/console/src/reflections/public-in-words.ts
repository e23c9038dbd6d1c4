import type { Namespace } from '@parley/contracts'

/** Names the public folders of a reflection. */
export function publicInWords(namespaces: readonly Namespace[]): string {
  const names = publicNames(namespaces)
  return names === '' ? 'nothing is public' : `public: ${names}`
}

export const publicNames = (namespaces: readonly Namespace[]): string =>
  namespaces
    .filter(({ isPublished }) => isPublished)
    .map(({ name }) => name)
    .join(', ')
