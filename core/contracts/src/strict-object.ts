import { z } from 'zod'
import { findSecret } from './find-secret.ts'
import { nearest } from './nearest.ts'

/** An object that refuses keys it does not know, and says which was probably meant. */
export function strictObject<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  const known = Object.keys(shape)
  return z.strictObject(shape, {
    error: (issue) => (issue.code === 'unrecognized_keys' ? unknownKeys(issue.keys, known) : undefined),
  })
}

/** What is said of a key that is none of the known ones. One that looks like a secret is not repeated. */
export function unknownKey(key: string, known: readonly string[]): string {
  if (findSecret(key) !== undefined) return 'unknown key'
  if (key.length > LONGEST_KEY) return `unknown key "${key.slice(0, LONGEST_KEY).toWellFormed()}…"`
  const meant = nearest(key, known)
  return `unknown key "${key}"${meant ? `; did you mean "${meant}"?` : ''}`
}

// The keys are a stranger's: neither the search for what was meant nor the answer may grow with them.
const LONGEST_KEY = 64
const MOST_KEYS = 10

function unknownKeys(keys: readonly string[], known: readonly string[]): string {
  const told = keys.slice(0, MOST_KEYS).map((key) => unknownKey(key, known))
  const more = keys.length - told.length
  return [...told, ...(more > 0 ? [`and ${more} more`] : [])].join('; ')
}
