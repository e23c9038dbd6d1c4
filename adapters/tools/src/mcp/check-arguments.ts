import type { Json } from '@parley/contracts'
import { canonicalJson } from '@parley/engine'
import type { JsonObject } from './list-tools.ts'

/**
 * What is plainly wrong with arguments, by the keywords that tell it without doubt; undefined where nothing is. A
 * schema comes from the server, so no code is made of it and no pattern of it is run; the rest is for the server to say.
 */
export function checkArguments(given: JsonObject, schema: JsonObject): string | undefined {
  const wrong: string[] = []
  check(given, schema, 'arguments', 0, wrong)
  return wrong.length === 0 ? undefined : wrong.slice(0, MOST_SHOWN).join('; ')
}

const MOST_SHOWN = 10
const DEEPEST = 20

function check(value: Json, schema: Json | undefined, at: string, depth: number, wrong: string[]): void {
  if (depth > DEEPEST || wrong.length > MOST_SHOWN || !isObject(schema)) return
  // Beside a reference, other keywords count in some drafts and not in others.
  if ('$ref' in schema) return
  const { type, enum: choices } = schema
  if (type !== undefined && !typesIn(type).some((name) => isOfType(value, name)))
    return void wrong.push(`${at} must be ${typesIn(type).join(' or ')}`)
  if (Array.isArray(choices) && !choices.some((choice) => isSame(choice, value)))
    return void wrong.push(`${at} must be one of ${bounded(JSON.stringify(choices))}`)
  if (isObject(value)) checkObject(value, schema, at, depth, wrong)
  if (Array.isArray(value) && isObject(schema['items']) && !('prefixItems' in schema))
    for (const [index, item] of value.entries())
      check(item, schema['items'], `${at}[${index}]`, depth + 1, wrong)
}

function checkObject(
  value: JsonObject,
  schema: JsonObject,
  at: string,
  depth: number,
  wrong: string[],
): void {
  const { required, additionalProperties } = schema
  const properties = isObject(schema['properties']) ? schema['properties'] : {}
  if (Array.isArray(required))
    for (const name of required)
      if (typeof name === 'string' && !Object.hasOwn(value, name))
        wrong.push(`${at}.${bounded(name)} is missing`)
  for (const [name, inner] of Object.entries(value)) {
    if (Object.hasOwn(properties, name)) check(inner, properties[name], `${at}.${name}`, depth + 1, wrong)
    else if (additionalProperties === false && !('patternProperties' in schema))
      wrong.push(`${at}.${bounded(name)} is not known`)
  }
}

const KNOWN_TYPES = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']

const typesIn = (type: Json): readonly string[] =>
  (Array.isArray(type) ? type : [type]).map((name) => (typeof name === 'string' ? name : ''))

function isOfType(value: Json, type: string): boolean {
  if (!KNOWN_TYPES.includes(type)) return true
  if (type === 'integer') return Number.isInteger(value)
  if (type === 'null') return value === null
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return isObject(value)
  return typeof value === type
}

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isSame = (one: Json, other: Json): boolean => canonicalJson(one) === canonicalJson(other)

const bounded = (text: string): string => (text.length > 300 ? `${text.slice(0, 300)} …` : text)
