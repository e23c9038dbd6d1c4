import { type Json, toCanonicalJson } from '@parley/contracts'

export type Sha256 = (text: string) => string

/** A hash of a value without its own `contentHash`, independent of the order of keys. */
export const hashContent = (value: object, sha256: Sha256): string => {
  // Without undefined members, as it is stored.
  const stored = JSON.parse(JSON.stringify({ ...value, contentHash: undefined })) as Json
  return sha256(toCanonicalJson(stored))
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
