import { z } from 'zod'
import type { ResponseMock } from './agent-test.ts'

/**
 * Default values for `{{name}}`. The camelCase key is rejected: otherwise the client's variables would be ignored
 * without an error.
 */
export const DynamicVariables = z.looseObject({
  dynamic_variable_placeholders: z.record(z.string(), z.unknown()).default({}),
  dynamicVariablePlaceholders: z
    .undefined('Unknown field dynamicVariablePlaceholders: write dynamic_variable_placeholders')
    .optional(),
})

/** Sources of a parameter's value. Exactly one must be set. */
const SOURCES = [
  'description',
  'dynamic_variable',
  'constant_value',
  'is_system_provided',
  'is_omitted',
] as const

const ONE_SOURCE = `Must set exactly one of: ${SOURCES.join(', ')}`

const LiteralProperty = z
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
type LiteralProperty = z.infer<typeof LiteralProperty>

/** The vendor sends '' for an unset source. */
const isSet = (value: unknown): boolean =>
  value !== undefined && value !== null && value !== '' && value !== false

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

const PROPERTY_FIELDS = {
  property_kind: z.enum(['array', 'object']).optional(),
  description: z.string().optional(),
  dynamic_variable: z.string().optional(),
  is_omitted: z.boolean().optional(),
}

export const ObjectProperty: z.ZodType<ObjectProperty> = z.strictObject({
  ...PROPERTY_FIELDS,
  type: z.literal('object').default('object'),
  constant_value: z.record(z.string(), z.unknown()).nullish(),
  required: z.array(z.string()).default([]),
  required_constraints: z.unknown().optional(),
  properties: z.record(z.string(), Property).default({}),
})

const ArrayProperty: z.ZodType<ArrayProperty> = z.strictObject({
  ...PROPERTY_FIELDS,
  type: z.literal('array'),
  constant_value: z.array(z.unknown()).nullish(),
  items: Property,
})

const QueryParameters = z.strictObject({
  properties: z
    .record(z.string(), LiteralProperty)
    .refine((properties) => Object.keys(properties).length > 0, 'Must have at least one property'),
  required: z.array(z.string()).default([]),
})

const Assignment = z.looseObject({
  source: z.literal('response').default('response'),
  dynamic_variable: z.string(),
  /** Dotted path into the tool's answer. */
  value_path: z.string(),
  sanitize: z.boolean().default(false),
  preserve_native_type: z.boolean().default(false),
})

const TOOL_FIELDS = {
  name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/),
  description: z.string(),
  interruption_mode: z
    .enum(['allow', 'disable_during_tool', 'disable_during_tool_and_turn'])
    .default('allow'),
  pre_tool_speech: z.enum(['auto', 'force', 'off']).default('auto'),
  assignments: z.array(Assignment).default([]),
  tool_error_handling_mode: z.enum(['auto', 'summarized', 'passthrough', 'hide']).default('auto'),
}

const execution_mode = z.enum(['immediate', 'post_tool_speech', 'async']).default('immediate')

/** A header's value, or its source. */
const HeaderSource = z.union([
  z.string(),
  z.looseObject({ secret_id: z.string() }),
  z.looseObject({ variable_name: z.string() }),
  z.looseObject({ env_var_label: z.string() }),
])
export type HeaderSource = z.infer<typeof HeaderSource>
export const RequestHeaders = z.record(z.string(), HeaderSource)

const ApiSchema = z.looseObject({
  url: z.string(),
  method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).default('GET'),
  request_headers: RequestHeaders.default({}),
  path_params_schema: z.record(z.string(), LiteralProperty).default({}),
  query_params_schema: QueryParameters.nullable().default(null),
  request_body_schema: ObjectProperty.nullable().default(null),
  content_type: z.enum(['application/json', 'application/x-www-form-urlencoded']).default('application/json'),
})

const WebhookTool = z.looseObject({
  type: z.literal('webhook'),
  ...TOOL_FIELDS,
  response_timeout_secs: z.int().min(5).max(300).default(20),
  dynamic_variables: DynamicVariables.prefault({}),
  execution_mode,
  api_schema: ApiSchema,
  follow_redirects: z.boolean().default(false),
})

const ClientTool = z.looseObject({
  type: z.literal('client'),
  ...TOOL_FIELDS,
  response_timeout_secs: z.int().min(1).max(120).default(20),
  parameters: ObjectProperty.nullable().default(null),
  expects_response: z.boolean().default(false),
  dynamic_variables: DynamicVariables.prefault({}),
  execution_mode,
})

const SYSTEM_TOOLS = [
  'end_call',
  'end_procedure',
  'knowledge_base',
  'knowledge_base_rag',
  'language_detection',
  'play_keypad_touch_tone',
  'skip_turn',
  'transfer_to_agent',
  'transfer_to_number',
  'voicemail_detection',
] as const

export const SystemTool = z.looseObject({
  type: z.literal('system').default('system'),
  ...TOOL_FIELDS,
  description: z.string().default(''),
  response_timeout_secs: z.int().default(20),
  params: z.looseObject({ system_tool_type: z.enum(SYSTEM_TOOLS) }),
})

const McpTool = z.looseObject({
  type: z.literal('mcp'),
  ...TOOL_FIELDS,
  response_timeout_secs: z.int().min(5).max(300).default(30),
  mcp_tool_name: z.string(),
  mcp_server_id: z.string(),
})

export const ToolConfig = z.discriminatedUnion('type', [WebhookTool, ClientTool, SystemTool, McpTool])
export type ToolConfig = z.infer<typeof ToolConfig>
export type WebhookToolConfig = Extract<ToolConfig, { type: 'webhook' }>

/** A stored tool. */
export interface ToolDocument {
  readonly id: string
  readonly tool_config: ToolConfig
  readonly response_mocks?: readonly ResponseMock[] | undefined
}
