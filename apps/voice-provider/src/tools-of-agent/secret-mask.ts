import type { Json } from '@parley/contracts'
import { maskIn, maskSecrets, type Secret } from '@parley/engine'
import { asText, isSecret, type Variables } from './variables.ts'

/** The secrets of one conversation, which are not to be seen in anything that it keeps or tells. */
export interface SecretMask {
  readonly add: (name: string, value: Json) => void
  /** Those among the variables. */
  readonly addFrom: (variables: Variables) => void
  /** The same value without any of them. */
  readonly mask: <Value>(value: Value) => Value
  /** How many it knows: what was masked with fewer has to be masked again. */
  readonly size: () => number
}

/** Of a text with very many words, the longest have to do. */
const MOST_WORDS = 20

export function createSecretMask(): SecretMask {
  const known = new Map<string, Secret>()

  const add = (name: string, value: Json) => {
    for (const text of new Set([asText(value), ...textsIn(value)])) {
      if (known.has(text)) continue
      const [whole, ...otherForms] = [text, ...wordsOf(text)].flatMap(formsOf)
      known.set(text, { name, value: whole ?? text, otherForms })
    }
  }

  return {
    add,
    addFrom(variables) {
      for (const [name, value] of Object.entries(variables)) if (isSecret(name)) add(name, value)
    },
    mask(value) {
      const secrets = [...known.values()]
      return secrets.length === 0 ? value : maskIn(value, (text) => maskSecrets(text, secrets))
    },
    size: () => known.size,
  }
}

/** What stands before a token in a header is no secret. */
const SCHEME = /^(bearer|digest)$/i

/** A server that is sent `Bearer abc` may well repeat `abc` alone. */
const wordsOf = (text: string): readonly string[] =>
  text
    .split(/\s+/)
    .filter((word) => word !== text && !SCHEME.test(word))
    .toSorted((one, other) => other.length - one.length)
    .slice(0, MOST_WORDS)

const formsOf = (text: string): readonly string[] => [
  text,
  JSON.stringify(text).slice(1, -1),
  encodeURIComponent(text.toWellFormed()),
  Buffer.from(text).toString('base64'),
]

function textsIn(value: Json): readonly string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}
