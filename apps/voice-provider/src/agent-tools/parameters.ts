import type { Json } from '@parley/contracts'
import type { ObjectProperty, Property, WebhookToolConfig } from '../agents/tool-document.ts'
import { isJsonObject } from '../json.ts'
import { type VariableValues, toText, fillVariables, getVariable } from './variables.ts'

/** Path, query and body parameters as one object, because the model does not need the distinction. */
export function collectParameters({ api_schema }: WebhookToolConfig): ObjectProperty {
  const { path_params_schema: path, query_params_schema: query, request_body_schema: body } = api_schema
  return {
    type: 'object',
    properties: { ...path, ...query?.properties, ...body?.properties },
    required: [...Object.keys(path), ...(query?.required ?? []), ...(body?.required ?? [])],
  }
}

/** JSON schema of the parameters that the model fills in. */
export function buildInputSchema(
  { properties, required, description }: ObjectProperty,
  variables: VariableValues,
): Readonly<Record<string, Json>> {
  const filled = Object.entries(properties).filter(([, property]) => isForModel(property))
  const names = filled.map(([name]) => name)
  return {
    type: 'object',
    ...(description && { description }),
    properties: Object.fromEntries(
      filled.map(([name, property]) => [name, buildSchema(property, variables)]),
    ),
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

function buildSchema(property: Property, variables: VariableValues): Json {
  const { description } = property
  if (isObject(property)) return { ...buildInputSchema(property, variables) }
  if (isList(property))
    return {
      type: 'array',
      ...(description && { description }),
      items: buildSchema(property.items, variables),
    }
  const allowed = getAllowedValues(property, variables)
  return {
    type: property.type,
    ...(description && { description }),
    ...(allowed && { enum: [...allowed] }),
  }
}

function getAllowedValues(
  { enum: written, allowed_values: named }: Exclude<Property, { type: 'object' | 'array' }>,
  variables: VariableValues,
): readonly string[] | undefined {
  const listed = named ? getVariable(named.dynamic_variable, variables) : undefined
  if (Array.isArray(listed)) return listed.map(toText)
  return written && written.length > 0 ? written : undefined
}

type FilledParameters =
  | { readonly kind: 'filled'; readonly values: Readonly<Record<string, Json>> }
  | { readonly kind: 'invalid'; readonly reason: string }

/** Fills each parameter from the configuration, a variable or the model, as configured. */
export function fillParameters(
  { properties, required }: Pick<ObjectProperty, 'properties' | 'required'>,
  input: Json,
  variables: VariableValues,
): FilledParameters {
  const inputs = isJsonObject(input) ? input : {}
  const values: Record<string, Json> = {}
  for (const [name, property] of Object.entries(properties)) {
    const value = resolveValue(property, Object.hasOwn(inputs, name) ? inputs[name] : undefined, variables)
    if (value.kind === 'invalid') return { kind: 'invalid', reason: `${name} ${value.reason}` }
    if (value.kind === 'value') values[name] = value.value
    else if (required.includes(name) && isForModel(property))
      return { kind: 'invalid', reason: `${name} is missing` }
  }
  return { kind: 'filled', values }
}

type ParameterValue =
  | { readonly kind: 'value'; readonly value: Json }
  | { readonly kind: 'none' }
  | { readonly kind: 'invalid'; readonly reason: string }

function resolveValue(
  property: Property,
  input: Json | undefined,
  variables: VariableValues,
): ParameterValue {
  const { constant_value: constant, dynamic_variable: variable } = property
  if (property.is_omitted) return NONE
  if (isConstantSet(constant)) return { kind: 'value', value: fillConstant(constant as Json, variables) }
  if (variable) {
    const value = getVariable(variable, variables)
    return value === undefined
      ? toInvalidValue(`needs the variable ${variable}, which has no value`)
      : convertValue(property, value)
  }
  if (isObject(property)) {
    if (input === undefined && isForModel(property)) return NONE
    const filled = fillParameters(property, input ?? {}, variables)
    return filled.kind === 'invalid'
      ? toInvalidValue(`.${filled.reason}`)
      : { kind: 'value', value: filled.values }
  }
  return input === undefined || input === null || !isForModel(property) ? NONE : convertValue(property, input)
}

const NONE: ParameterValue = { kind: 'none' }
const toInvalidValue = (reason: string): ParameterValue => ({ kind: 'invalid', reason })

const fillConstant = (constant: Json, variables: VariableValues): Json =>
  typeof constant === 'string' ? fillVariables(constant, variables) : constant

/** Converts a value to the parameter's type if the conversion is unambiguous. */
function convertValue(property: Property, value: Json): ParameterValue {
  if (isObject(property))
    return isJsonObject(value) ? { kind: 'value', value } : toInvalidValue('must be an object')
  if (isList(property))
    return Array.isArray(value) ? convertItems(property.items, value) : toInvalidValue('must be a list')
  const types = [property.type].flat()
  const fitting = types.map((type) => TYPES[type]?.(value)).find((found) => found !== undefined)
  return fitting === undefined
    ? toInvalidValue(`must be of the type ${types.join(' or ')}`)
    : { kind: 'value', value: fitting }
}

function convertItems(items: Property, values: readonly Json[]): ParameterValue {
  const fitted = values.map((value) => convertValue(items, value))
  const wrong = fitted.find((value) => value.kind === 'invalid')
  if (wrong) return wrong
  return { kind: 'value', value: fitted.flatMap((each) => (each.kind === 'value' ? [each.value] : [])) }
}

const TYPES: Readonly<Record<string, (value: Json) => Json | undefined>> = {
  string: (value) => (typeof value === 'object' ? undefined : String(value)),
  boolean: (value) =>
    value === 'true' || value === true ? true : value === 'false' || value === false ? false : undefined,
  number: toNumber,
  integer: (value) => {
    const number = toNumber(value)
    return Number.isInteger(number) ? number : undefined
  },
  null: (value) => (value === null ? null : undefined),
}

function toNumber(value: Json): number | undefined {
  if (typeof value === 'number') return value
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN
  return Number.isFinite(number) ? number : undefined
}
