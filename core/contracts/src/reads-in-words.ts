import type { MemberNamespaces, Namespace } from './reflection.ts'

/** What a member reads, as a sentence after their name. */
export function readsInWords(reads: MemberNamespaces, all: readonly Namespace[]): string {
  if (reads === 'all') return `can read all namespaces, the private ones too: ${names(all)}`
  const published = names(all.filter(({ isPublished }) => isPublished))
  const chosen = names(all.filter(({ name, isPublished }) => !isPublished && reads.includes(name)))
  if (chosen === '' && published === '') return 'can read no namespace: none is published, and none is chosen'
  if (chosen === '') return `can read the published namespaces only: ${published}`
  const rest = published === '' ? 'none is published' : `the published ones: ${published}`
  return `can read these private namespaces: ${chosen}; and ${rest}`
}

const names = (of: readonly Namespace[]): string => of.map(({ name }) => name).join(', ')
