import type { Json } from '@parley/contracts'

export type Sha256 = (text: string) => string

/** The hash of what a value holds, whatever the order of its keys; its own `contentHash` is left out of it. */
export const contentHashOf = (value: object, sha256: Sha256): string => sha256(canonical(value as Json, true))

function canonical(value: Json, isRoot = false): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map((entry) => canonical(entry)).join(',')}]`
  const members = Object.entries(value)
    .filter(([name, member]) => member !== undefined && !(isRoot && name === 'contentHash'))
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(',')}}`
}

/** The value with its hash. */
export const sealed = <Value extends object>(
  value: Value,
  sha256: Sha256,
): Value & { contentHash: string } => ({
  ...value,
  contentHash: contentHashOf(value, sha256),
})
