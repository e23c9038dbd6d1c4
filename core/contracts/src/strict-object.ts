import { z } from 'zod'
import { findSecret } from './find-secret.ts'

/** An object schema that refuses unknown keys and suggests the key that was probably meant. */
export function strictObject<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  const known = Object.keys(shape)
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys' ? describeUnknownKeys(issue.keys, known) : undefined,
  })
}

/** The message for an unknown key. A key that looks like a secret is not repeated. */
export function describeUnknownKey(key: string, known: readonly string[]): string {
  if (findSecret(key) !== undefined) return 'unknown key'
  if (key.length > MAX_KEY_LENGTH) return `unknown key "${key.slice(0, MAX_KEY_LENGTH).toWellFormed()}…"`
  const meant = findNearest(key, known)
  return `unknown key "${key}"${meant ? `; did you mean "${meant}"?` : ''}`
}

// Keys are untrusted input: neither the search nor the message may grow with them.
const MAX_KEY_LENGTH = 64
const MAX_KEYS = 10

function describeUnknownKeys(keys: readonly string[], known: readonly string[]): string {
  const listed = keys.slice(0, MAX_KEYS).map((key) => describeUnknownKey(key, known))
  const more = keys.length - listed.length
  return [...listed, ...(more > 0 ? [`and ${more} more`] : [])].join('; ')
}

/** The candidate that was most likely meant, if any is close. */
export function findNearest(written: string, candidates: readonly string[]): string | undefined {
  const [best] = candidates
    .map((candidate) => ({ candidate, distance: calculateEditDistance(written.toLowerCase(), candidate) }))
    .toSorted((a, b) => a.distance - b.distance)
  return best && best.distance <= Math.max(1, Math.round(best.candidate.length * 0.4))
    ? best.candidate
    : undefined
}

/** The Levenshtein distance. */
function calculateEditDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (const [above, letter] of from.split('').entries()) {
    const next = [above + 1]
    for (const [left, other] of to.split('').entries()) {
      const replaced = (row[left] ?? 0) + (letter === other ? 0 : 1)
      next.push(Math.min(replaced, (row[left + 1] ?? 0) + 1, (next[left] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
