import { z } from 'zod'

/** Who gives a parameter its value; exactly one does. */
const SOURCES = [
  'description',
  'dynamic_variable',
  'constant_value',
  'is_system_provided',
  'is_omitted',
] as const

const ONE_SOURCE = `Must set exactly one of: ${SOURCES.join(', ')}`

export const LiteralProperty = z
  .looseObject({
    type: z.union([z.enum(['boolean', 'string', 'integer', 'number']), z.array(z.string()).length(2)]),
    description: z.string().optional(),
    enum: z.array(z.string()).nullish(),
    is_system_provided: z.boolean().optional(),
    dynamic_variable: z.string().optional(),
    allowed_values: z.looseObject({ dynamic_variable: z.string().min(1) }).nullish(),
    constant_value: z.union([z.string(), z.number(), z.boolean(), z.null()]).optional(),
    is_omitted: z.boolean().optional(),
  })
  .refine((property) => SOURCES.filter((source) => isSet(property[source])).length === 1, ONE_SOURCE)
export type LiteralProperty = z.infer<typeof LiteralProperty>

/** Empty texts are the vendor's way to say that a source is none. */
const isSet = (value: unknown): boolean =>
  value !== undefined && value !== null && value !== '' && value !== false

/** An object or a list; its `type` tells which. */
export interface ObjectProperty {
  readonly type: 'object'
  readonly description?: string | undefined
  readonly dynamic_variable?: string | undefined
  readonly constant_value?: Readonly<Record<string, unknown>> | null | undefined
  readonly is_omitted?: boolean | undefined
  readonly required: readonly string[]
  readonly properties: Readonly<Record<string, Property>>
}

export interface ArrayProperty {
  readonly type: 'array'
  readonly description?: string | undefined
  readonly dynamic_variable?: string | undefined
  readonly constant_value?: readonly unknown[] | null | undefined
  readonly is_omitted?: boolean | undefined
  readonly items: Property
}

export type Property = LiteralProperty | ObjectProperty | ArrayProperty

const Property: z.ZodType<Property> = z.lazy(() => z.union([ObjectProperty, ArrayProperty, LiteralProperty]))

const shared = {
  property_kind: z.enum(['array', 'object']).optional(),
  description: z.string().optional(),
  dynamic_variable: z.string().optional(),
  is_omitted: z.boolean().optional(),
}

export const ObjectProperty: z.ZodType<ObjectProperty> = z.strictObject({
  ...shared,
  type: z.literal('object').default('object'),
  constant_value: z.record(z.string(), z.unknown()).nullish(),
  required: z.array(z.string()).default([]),
  required_constraints: z.unknown().optional(),
  properties: z.record(z.string(), Property).default({}),
})

const ArrayProperty: z.ZodType<ArrayProperty> = z.strictObject({
  ...shared,
  type: z.literal('array'),
  constant_value: z.array(z.unknown()).nullish(),
  items: Property,
})

export const QueryParameters = z.strictObject({
  properties: z
    .record(z.string(), LiteralProperty)
    .refine((properties) => Object.keys(properties).length > 0, 'Must have at least one property'),
  required: z.array(z.string()).default([]),
})
