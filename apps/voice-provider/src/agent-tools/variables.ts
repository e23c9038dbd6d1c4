import type { Json } from '@parley/contracts'
import { type Secret, maskValue, maskSecrets } from '@parley/engine'
import type { ToolConfig } from '../agents/tool-document.ts'
import { parseJson, readPath } from '../json.ts'

export type VariableValues = Readonly<Record<string, Json>>

/** `{{name}}`. */
export const PLACEHOLDER = /\{\{\s*([\p{L}\p{N}_.-]+)\s*\}\}/gu

/** Names of the variables in a text. */
export const findVariableNames = (text: string): readonly string[] =>
  [...text.matchAll(PLACEHOLDER)].flatMap(([, name]) => (name === undefined ? [] : [name]))

/** Replaces each `{{name}}` that has a value. */
export const fillVariables = (
  text: string,
  variables: VariableValues,
  write: (value: string) => string = (value) => value,
): string =>
  text.includes('{{')
    ? text.replace(PLACEHOLDER, (written, name: string) => {
        const value = getVariable(name, variables)
        return value === undefined ? written : write(toText(value))
      })
    : text

/** Own properties only; null counts as undefined. */
export function getVariable(name: string, variables: VariableValues): Json | undefined {
  const value = Object.hasOwn(variables, name) ? variables[name] : undefined
  return value === null ? undefined : value
}

export const toText = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value))

const SECRET = 'secret__'

/** Secrets are only for the headers of tools. */
export const omitSecrets = (variables: VariableValues): VariableValues =>
  Object.fromEntries(Object.entries(variables).filter(([name]) => !isSecret(name)))

export const isSecret = (name: string): boolean => name.startsWith(SECRET)

/** Masks the secrets of one conversation in everything stored or sent. */
export interface SecretMask {
  readonly add: (name: string, value: Json) => void
  /** Adds the secrets among the variables. */
  readonly addFrom: (variables: VariableValues) => void
  /** Returns the value with all known secrets masked. */
  readonly mask: <Value>(value: Value) => Value
  /** Number of known secrets. When it grows, earlier text must be masked again. */
  readonly size: () => number
}

/** Only the longest words of a secret are masked separately. */
const MAX_WORDS = 20

export function createSecretMask(): SecretMask {
  const known = new Map<string, Secret>()

  const add = (name: string, value: Json) => {
    for (const text of new Set([toText(value), ...collectTexts(value)])) {
      if (known.has(text)) continue
      const [whole, ...otherForms] = [text, ...findSecretWords(text)].flatMap(listForms)
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
      return secrets.length === 0 ? value : maskValue(value, (text) => maskSecrets(text, secrets))
    },
    size: () => known.size,
  }
}

/** Authentication schemes are not secret. */
const SCHEME = /^(bearer|digest)$/i

/** A server that gets `Bearer abc` may repeat only `abc`. */
const findSecretWords = (text: string): readonly string[] =>
  text
    .split(/\s+/)
    .filter((word) => word !== text && !SCHEME.test(word))
    .toSorted((one, other) => other.length - one.length)
    .slice(0, MAX_WORDS)

const listForms = (text: string): readonly string[] => [
  text,
  JSON.stringify(text).slice(1, -1),
  encodeURIComponent(text.toWellFormed()),
  Buffer.from(text).toString('base64'),
]

function collectTexts(value: Json): readonly string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(collectTexts) : []
}

interface AssignmentResult {
  readonly variables: VariableValues
  /** The answer without values hidden from the model. */
  readonly text: string
}

/**
 * Sets variables from dotted paths into a tool's answer. Missing paths set nothing. Secrets in the answer are masked,
 * except in variables for secrets.
 */
export function assignVariables(
  text: string,
  assignments: ToolConfig['assignments'],
  { addFrom, mask }: Pick<SecretMask, 'addFrom' | 'mask'>,
): AssignmentResult {
  if (assignments.length === 0) return { variables: {}, text }
  const answer = parseJson(text)
  if (answer === undefined) return { variables: {}, text }
  const found: Record<string, Json> = {}
  for (const { dynamic_variable: name, value_path: path, preserve_native_type: asIs } of assignments) {
    const value = readPath(answer, path.split('.'))
    if (value === undefined || RESERVED.test(name)) continue
    found[name] = asIs || typeof value !== 'object' ? value : toText(value)
  }
  addFrom(found)
  const variables = Object.fromEntries(
    Object.entries(found).map(([name, value]) => [name, isSecret(name) ? value : mask(value)]),
  )
  const hidden = assignments.filter(({ sanitize }) => sanitize).map(({ value_path }) => value_path.split('.'))
  if (hidden.length === 0) return { variables, text }
  return { variables, text: JSON.stringify(hidden.reduce(removePath, answer)) }
}

/** Servers cannot set system variables. */
const RESERVED = /^system__/

function removePath(value: Json, path: readonly string[]): Json {
  const [key, ...rest] = path
  if (typeof value !== 'object' || value === null || key === undefined || !Object.hasOwn(value, key))
    return value
  const inner = (value as Record<string, Json>)[key] ?? null
  const left = rest.length > 0 ? removePath(inner, rest) : undefined
  if (Array.isArray(value))
    return value.flatMap((item, place) =>
      String(place) === key ? (left === undefined ? [] : [left]) : [item],
    )
  const { [key]: _, ...others } = value
  return left === undefined ? others : { ...others, [key]: left }
}
