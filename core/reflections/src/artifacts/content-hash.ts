import type { Json } from '@parley/contracts'

export type Sha256 = (text: string) => string

/** A hash of a value without its own `contentHash`, independent of the order of keys. */
export const hashContent = (value: object, sha256: Sha256): string =>
  sha256(toCanonicalJson(value as Json, true))

function toCanonicalJson(value: Json, isRoot = false): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map((entry) => toCanonicalJson(entry)).join(',')}]`
  const members = Object.entries(value)
    .filter(([name, member]) => member !== undefined && !(isRoot && name === 'contentHash'))
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${toCanonicalJson(member)}`).join(',')}}`
}

/** The value with its hash. */
export const addContentHash = <Value extends object>(
  value: Value,
  sha256: Sha256,
): Value & { contentHash: string } => ({
  ...value,
  contentHash: hashContent(value, sha256),
})

/** A hash of the namespaces, in any order. */
export const hashNamespaces = (namespaces: readonly string[], sha256: Sha256): string =>
  sha256(JSON.stringify([...new Set(namespaces)].toSorted()))
