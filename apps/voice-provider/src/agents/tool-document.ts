import { z } from 'zod'
import { DynamicVariables } from './dynamic-variables.ts'
import type { ResponseMock } from './tool-mocks.ts'
import { ObjectProperty, QueryParameters, LiteralProperty } from './tool-parameters.ts'

const Assignment = z.looseObject({
  source: z.literal('response').default('response'),
  dynamic_variable: z.string(),
  /** A path with dots into what the tool answered. */
  value_path: z.string(),
  sanitize: z.boolean().default(false),
  preserve_native_type: z.boolean().default(false),
})

const shared = {
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

/** A header's value, or where it is found. */
const HeaderValue = z.union([
  z.string(),
  z.looseObject({ secret_id: z.string() }),
  z.looseObject({ variable_name: z.string() }),
  z.looseObject({ env_var_label: z.string() }),
])
export type HeaderValue = z.infer<typeof HeaderValue>
export const RequestHeaders = z.record(z.string(), HeaderValue)

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
  ...shared,
  response_timeout_secs: z.int().min(5).max(300).default(20),
  dynamic_variables: DynamicVariables.prefault({}),
  execution_mode,
  api_schema: ApiSchema,
  follow_redirects: z.boolean().default(false),
})

const ClientTool = z.looseObject({
  type: z.literal('client'),
  ...shared,
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
  ...shared,
  description: z.string().default(''),
  response_timeout_secs: z.int().default(20),
  params: z.looseObject({ system_tool_type: z.enum(SYSTEM_TOOLS) }),
})

const McpTool = z.looseObject({
  type: z.literal('mcp'),
  ...shared,
  response_timeout_secs: z.int().min(5).max(300).default(30),
  mcp_tool_name: z.string(),
  mcp_server_id: z.string(),
})

export const ToolConfig = z.discriminatedUnion('type', [WebhookTool, ClientTool, SystemTool, McpTool])
export type ToolConfig = z.infer<typeof ToolConfig>

/** A tool as its workspace keeps it. */
export interface ToolDocument {
  readonly id: string
  readonly tool_config: ToolConfig
  readonly response_mocks?: readonly ResponseMock[] | undefined
}
