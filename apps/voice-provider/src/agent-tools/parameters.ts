import type { Json } from '@parley/contracts'
import type { ObjectProperty, Property, ToolConfig } from '../agents/tool-document.ts'
import { isJsonObject } from '../json.ts'
import { type Variables, asText, fillVariables, valueOf } from './variables.ts'

type Webhook = Extract<ToolConfig, { type: 'webhook' }>

/** Path, query and body parameters as one object, because the model does not need the distinction. */
export function parametersOf({ api_schema }: Webhook): ObjectProperty {
  const { path_params_schema: path, query_params_schema: query, request_body_schema: body } = api_schema
  return {
    type: 'object',
    properties: { ...path, ...query?.properties, ...body?.properties },
    required: [...Object.keys(path), ...(query?.required ?? []), ...(body?.required ?? [])],
  }
}

/** JSON schema of the parameters that the model fills in. */
export function inputSchema(
  { properties, required, description }: ObjectProperty,
  variables: Variables,
): Readonly<Record<string, Json>> {
  const filled = Object.entries(properties).filter(([, property]) => isForModel(property))
  const names = filled.map(([name]) => name)
  return {
    type: 'object',
    ...(description && { description }),
    properties: Object.fromEntries(filled.map(([name, property]) => [name, schemaOf(property, variables)])),
    required: [...new Set(required)].filter((name) => names.includes(name)),
    additionalProperties: false,
  }
}

/** The model fills in an object if it fills in any part of it. */
function isForModel(property: Property): boolean {
  if (property.is_omitted || isConstantSet(property.constant_value) || property.dynamic_variable) return false
  if ('properties' in property && isObject(property))
    return (
      Object.keys(property.properties).length === 0 || Object.values(property.properties).some(isForModel)
    )
  return !('is_system_provided' in property && property.is_system_provided)
}

export const isObject = (property: Property): property is ObjectProperty => property.type === 'object'

export const isList = (property: Property): property is Extract<Property, { type: 'array' }> =>
  property.type === 'array'

/** The vendor sends null or '' for an unset constant. */
const isConstantSet = (value: unknown): boolean => value !== undefined && value !== null && value !== ''

function schemaOf(property: Property, variables: Variables): Json {
  const { description } = property
  if (isObject(property)) return { ...inputSchema(property, variables) }
  if (isList(property))
    return { type: 'array', ...(description && { description }), items: schemaOf(property.items, variables) }
  const allowed = allowedOf(property, variables)
  return {
    type: property.type,
    ...(description && { description }),
    ...(allowed && { enum: [...allowed] }),
  }
}

function allowedOf(
  { enum: written, allowed_values: named }: Exclude<Property, { type: 'object' | 'array' }>,
  variables: Variables,
): readonly string[] | undefined {
  const listed = named ? valueOf(named.dynamic_variable, variables) : undefined
  if (Array.isArray(listed)) return listed.map(asText)
  return written && written.length > 0 ? written : undefined
}

type Filled =
  | { readonly kind: 'filled'; readonly values: Readonly<Record<string, Json>> }
  | { readonly kind: 'invalid'; readonly reason: string }

/** Fills each parameter from the configuration, a variable or the model, as configured. */
export function fillParameters(
  { properties, required }: Pick<ObjectProperty, 'properties' | 'required'>,
  given: Json,
  variables: Variables,
): Filled {
  const inputs = isJsonObject(given) ? given : {}
  const values: Record<string, Json> = {}
  for (const [name, property] of Object.entries(properties)) {
    const value = valueFor(property, Object.hasOwn(inputs, name) ? inputs[name] : undefined, variables)
    if (value.kind === 'invalid') return { kind: 'invalid', reason: `${name} ${value.reason}` }
    if (value.kind === 'value') values[name] = value.value
    else if (required.includes(name) && isForModel(property))
      return { kind: 'invalid', reason: `${name} is missing` }
  }
  return { kind: 'filled', values }
}

type Value =
  | { readonly kind: 'value'; readonly value: Json }
  | { readonly kind: 'none' }
  | { readonly kind: 'invalid'; readonly reason: string }

function valueFor(property: Property, given: Json | undefined, variables: Variables): Value {
  const { constant_value: constant, dynamic_variable: variable } = property
  if (property.is_omitted) return NONE
  if (isConstantSet(constant)) return { kind: 'value', value: constantOf(constant as Json, variables) }
  if (variable) {
    const value = valueOf(variable, variables)
    return value === undefined
      ? invalid(`needs the variable ${variable}, which has no value`)
      : fit(property, value)
  }
  if (isObject(property)) {
    if (given === undefined && isForModel(property)) return NONE
    const filled = fillParameters(property, given ?? {}, variables)
    return filled.kind === 'invalid' ? invalid(`.${filled.reason}`) : { kind: 'value', value: filled.values }
  }
  return given === undefined || given === null || !isForModel(property) ? NONE : fit(property, given)
}

const NONE: Value = { kind: 'none' }
const invalid = (reason: string): Value => ({ kind: 'invalid', reason })

const constantOf = (constant: Json, variables: Variables): Json =>
  typeof constant === 'string' ? fillVariables(constant, variables) : constant

/** Converts a value to the parameter's type if the conversion is unambiguous. */
function fit(property: Property, value: Json): Value {
  if (isObject(property)) return isJsonObject(value) ? { kind: 'value', value } : invalid('must be an object')
  if (isList(property))
    return Array.isArray(value) ? fitAll(property.items, value) : invalid('must be a list')
  const types = [property.type].flat()
  const fitting = types.map((type) => TYPES[type]?.(value)).find((found) => found !== undefined)
  return fitting === undefined
    ? invalid(`must be of the type ${types.join(' or ')}`)
    : { kind: 'value', value: fitting }
}

function fitAll(items: Property, values: readonly Json[]): Value {
  const fitted = values.map((value) => fit(items, value))
  const wrong = fitted.find((value) => value.kind === 'invalid')
  if (wrong) return wrong
  return { kind: 'value', value: fitted.flatMap((each) => (each.kind === 'value' ? [each.value] : [])) }
}

const TYPES: Readonly<Record<string, (value: Json) => Json | undefined>> = {
  string: (value) => (typeof value === 'object' ? undefined : String(value)),
  boolean: (value) =>
    value === 'true' || value === true ? true : value === 'false' || value === false ? false : undefined,
  number: numberOf,
  integer: (value) => {
    const number = numberOf(value)
    return Number.isInteger(number) ? number : undefined
  },
  null: (value) => (value === null ? null : undefined),
}

function numberOf(value: Json): number | undefined {
  if (typeof value === 'number') return value
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN
  return Number.isFinite(number) ? number : undefined
}
