export interface Signature {
  /** Unix seconds, as they were written: they are part of what is signed. */
  readonly timestamp: string
  /** Several while the provider changes its secret. */
  readonly hashes: readonly string[]
}

/** More are nobody's; each costs a comparison. */
const MOST_HASHES = 10
const LONGEST = 4_096

/** Reads `t=…,v0=…`. Spaces do no harm; what is unknown is passed over. */
export function readSignature(header: string | undefined): Signature | undefined {
  if (header === undefined || header.length > LONGEST) return undefined
  const parts = header.split(',').map((part) => part.trim())
  const valuesOf = (name: string) =>
    parts.filter((part) => part.startsWith(`${name}=`)).map((part) => part.slice(name.length + 1).trim())

  const [timestamp, ...others] = valuesOf('t')
  if (timestamp === undefined || others.length > 0 || !/^\d{1,12}$/.test(timestamp)) return undefined
  const hashes = valuesOf('v0').filter((hash) => /^[0-9a-f]{64}$/i.test(hash))
  if (hashes.length === 0 || hashes.length > MOST_HASHES) return undefined
  return { timestamp, hashes: hashes.map((hash) => hash.toLowerCase()) }
}
