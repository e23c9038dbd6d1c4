import type { Json } from '@parley/contracts'
import type { ToolConfig } from '../agents/tool-document.ts'
import type { SecretMask } from './secret-mask.ts'
import { asText, isSecret, type Variables } from './variables.ts'

export interface Assigned {
  readonly variables: Variables
  /** The answer, without the values that are not for the model. */
  readonly text: string
}

/**
 * The variables that an answer sets, by dot paths into it; what is not there sets nothing. A secret that the answer
 * repeats goes into a variable for secrets, and into no other.
 */
export function assignVariables(
  text: string,
  assignments: ToolConfig['assignments'],
  { addFrom, mask }: Pick<SecretMask, 'addFrom' | 'mask'>,
): Assigned {
  if (assignments.length === 0) return { variables: {}, text }
  const answer = parsed(text)
  if (answer === undefined) return { variables: {}, text }
  const found: Record<string, Json> = {}
  for (const { dynamic_variable: name, value_path: path, preserve_native_type: asIs } of assignments) {
    const value = at(answer, path.split('.'))
    if (value === undefined || RESERVED.test(name)) continue
    found[name] = asIs || typeof value !== 'object' ? value : asText(value)
  }
  addFrom(found)
  const variables = Object.fromEntries(
    Object.entries(found).map(([name, value]) => [name, isSecret(name) ? value : mask(value)]),
  )
  const hidden = assignments.filter(({ sanitize }) => sanitize).map(({ value_path }) => value_path.split('.'))
  if (hidden.length === 0) return { variables, text }
  return { variables, text: JSON.stringify(hidden.reduce(without, answer)) }
}

/** What we say of a call is not for a server to change. */
const RESERVED = /^system__/

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

function at(value: Json | undefined, path: readonly string[]): Json | undefined {
  const [key, ...rest] = path
  if (key === undefined) return value
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
  return at((value as Record<string, Json>)[key], rest)
}

function without(value: Json, path: readonly string[]): Json {
  const [key, ...rest] = path
  if (typeof value !== 'object' || value === null || key === undefined || !Object.hasOwn(value, key))
    return value
  const inner = (value as Record<string, Json>)[key] ?? null
  const left = rest.length > 0 ? without(inner, rest) : undefined
  if (Array.isArray(value))
    return value.flatMap((item, place) =>
      String(place) === key ? (left === undefined ? [] : [left]) : [item],
    )
  const { [key]: _, ...others } = value
  return left === undefined ? others : { ...others, [key]: left }
}
