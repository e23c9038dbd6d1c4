import type { Json } from '@parley/contracts'
import type { ObjectProperty, Property } from '../agents/tool-parameters.ts'
import type { ToolConfig } from '../agents/tool-document.ts'
import { asText, valueOf, type Variables } from './variables.ts'

type Webhook = Extract<ToolConfig, { type: 'webhook' }>

/** All that goes into a request, side by side: a model does not care where a value goes. */
export function parametersOf({ api_schema }: Webhook): ObjectProperty {
  const { path_params_schema: path, query_params_schema: query, request_body_schema: body } = api_schema
  return {
    type: 'object',
    properties: { ...path, ...query?.properties, ...body?.properties },
    required: [...Object.keys(path), ...(query?.required ?? []), ...(body?.required ?? [])],
  }
}

/** What a model has to fill in, as a JSON schema; what others fill in, it never sees. */
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

/** An object is the model's where any part of it is. */
export function isForModel(property: Property): boolean {
  if (property.is_omitted || isGiven(property.constant_value) || property.dynamic_variable) return false
  if ('properties' in property && isObject(property))
    return (
      Object.keys(property.properties).length === 0 || Object.values(property.properties).some(isForModel)
    )
  return !('is_system_provided' in property && property.is_system_provided)
}

export const isObject = (property: Property): property is ObjectProperty => property.type === 'object'

export const isList = (property: Property): property is Extract<Property, { type: 'array' }> =>
  property.type === 'array'

/** Null and empty text are the vendor's ways to say that there is no constant. */
export const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== ''

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
