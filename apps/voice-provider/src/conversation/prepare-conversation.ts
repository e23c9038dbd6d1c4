import type { Json } from '@parley/contracts'
import type { AgentDocument } from '../agents/agent-document.ts'
import { ConversationConfig } from '../agents/conversation-config.ts'
import type { Property, ToolConfig } from '../agents/tool-document.ts'
import { isList, isObject } from '../agent-tools/parameters.ts'
import { type VariableValues, isSecret, findVariableNames, getVariable } from '../agent-tools/variables.ts'
import { isJsonObject } from '../json.ts'
import type { Initiation } from './client-frame.ts'
import type { ConversationHost } from './conversation-document.ts'
import type { ErrorType } from './server-event.ts'

export interface PreparedConversation {
  readonly kind: 'ready'
  readonly agent: AgentDocument
  readonly tools: readonly ToolConfig[]
  /** From the client, or the agent's placeholders. */
  readonly variables: VariableValues
}

export type PreparationResult =
  | PreparedConversation
  | { readonly kind: 'refused'; readonly errorType: ErrorType; readonly reason: string }

/** Prepares a conversation, or explains the refusal, with the vendor's messages where known. */
export async function prepareConversation(
  agent: AgentDocument,
  initiation: Initiation,
  systemVariables: VariableValues,
  host: Pick<ConversationHost, 'findTools'>,
): Promise<PreparationResult> {
  const overridden = applyOverrides(agent, initiation.conversation_config_override ?? {})
  if (overridden.kind === 'refused')
    return refusePreparation(
      'override_error',
      `Override for field '${overridden.field}' is not allowed by config.`,
    )
  if (overridden.kind === 'invalid')
    return refusePreparation('override_error', `The override is not valid: ${overridden.reason}`)
  const { config } = overridden
  const wantsExtraBody = Object.keys(initiation.custom_llm_extra_body ?? {}).length > 0
  if (wantsExtraBody && !agent.platform_settings.overrides.custom_llm_extra_body)
    return refusePreparation(
      'override_error',
      "Override for field 'custom_llm_extra_body' is not allowed by config.",
    )

  const sent = initiation.dynamic_variables ?? {}
  const problem = findVariableProblem(sent)
  if (problem !== undefined) return refusePreparation('value_error', problem)
  const placeholders = config.agent.dynamic_variables.dynamic_variable_placeholders as VariableValues
  const variables = { ...placeholders, ...sent }
  const tools = await loadTools(config, host)
  const missing = describeMissingVariables(config, tools, { ...variables, ...systemVariables })
  if (missing !== undefined) return refusePreparation('missing_dynamic_variable', missing)
  return { kind: 'ready', agent: { ...agent, conversation_config: config }, tools, variables }
}

const refusePreparation = (errorType: ErrorType, reason: string): PreparationResult => ({
  kind: 'refused',
  errorType,
  reason,
})

const MAX_VARIABLES = 500
const MAX_CHARACTERS = 100_000
/** Each secret is searched for in every text. */
const MAX_SECRETS = 20

function findVariableProblem(variables: Readonly<Record<string, Json>>): string | undefined {
  const names = Object.keys(variables)
  const reserved = names.find((name) => name.startsWith('system__'))
  if (reserved !== undefined)
    return `Dynamic variable '${reserved}' is reserved: names with system__ cannot be set.`
  if (names.length > MAX_VARIABLES) return `More than ${MAX_VARIABLES} dynamic variables.`
  if (names.filter(isSecret).length > MAX_SECRETS) return `More than ${MAX_SECRETS} secret dynamic variables.`
  if (JSON.stringify(variables).length > MAX_CHARACTERS)
    return `The dynamic variables have more than ${MAX_CHARACTERS} characters.`
  return undefined
}

async function loadTools(
  { agent: { prompt } }: ConversationConfig,
  { findTools }: Pick<ConversationHost, 'findTools'>,
): Promise<readonly ToolConfig[]> {
  const workspaceTools = prompt.tool_ids.length > 0 ? await findTools(prompt.tool_ids) : []
  const builtIn = Object.values(prompt.built_in_tools) as readonly (ToolConfig | null | undefined)[]
  const all = [...workspaceTools.map(({ tool_config }) => tool_config), ...(prompt.tools ?? []), ...builtIn]
  return all.filter((tool) => tool !== null && tool !== undefined)
}

type OverrideResult =
  | { readonly kind: 'overridden'; readonly config: ConversationConfig }
  | { readonly kind: 'refused'; readonly field: string }
  | { readonly kind: 'invalid'; readonly reason: string }

type JsonObject = Readonly<Record<string, Json>>

/**
 * Applies the client's overrides that the agent allows. Ignores empty objects and unchanged values: the vendor's
 * clients send both by default.
 */
function applyOverrides(agent: AgentDocument, overrides: JsonObject): OverrideResult {
  const allowed = agent.platform_settings.overrides.conversation_config_override as unknown as JsonObject
  const config = agent.conversation_config as unknown as JsonObject
  const merged = mergeOverrides(config, overrides, allowed, [])
  if (merged.kind === 'refused') return merged
  const parsed = ConversationConfig.safeParse(merged.value)
  if (parsed.success) return { kind: 'overridden', config: parsed.data }
  const [issue] = parsed.error.issues
  return { kind: 'invalid', reason: `${issue?.path.join('.')}: ${issue?.message}` }
}

type OverrideMergeResult =
  | { readonly kind: 'merged'; readonly value: JsonObject }
  | { readonly kind: 'refused'; readonly field: string }

function mergeOverrides(
  config: JsonObject,
  overrides: JsonObject,
  allowed: JsonObject,
  path: readonly string[],
): OverrideMergeResult {
  let value = config
  for (const [field, next] of Object.entries(overrides)) {
    const current = getOwnField(config, field)
    if (next === null || JSON.stringify(next) === JSON.stringify(current)) continue
    const permission = getOwnField(allowed, field)
    const fieldPath = [...path, field]
    if (isJsonObject(next)) {
      const inner = mergeOverrides(toObject(current), next, toObject(permission), fieldPath)
      if (inner.kind === 'refused') return inner
      value = { ...value, [field]: inner.value }
    } else if (fieldPath.join('.') === 'conversation.client_events')
      value = { ...value, [field]: filterAllowedEvents(next, current) }
    else if (permission === true) value = { ...value, [field]: next }
    else return { kind: 'refused', field }
  }
  return { kind: 'merged', value }
}

const FULL_RESULTS = 'agent_tool_response_full_payload'

/** Every client may choose its events. Full tool results also need the agent's permission. */
const filterAllowedEvents = (events: Json, current: Json | undefined): Json =>
  Array.isArray(events) && !(Array.isArray(current) && current.includes(FULL_RESULTS))
    ? events.filter((event) => event !== FULL_RESULTS)
    : events

const toObject = (value: Json | undefined): JsonObject => (isJsonObject(value) ? value : {})

const getOwnField = (object: JsonObject, field: string): Json | undefined =>
  Object.hasOwn(object, field) ? object[field] : undefined

interface CallFacts {
  readonly agentId: string
  readonly conversationId: string
  readonly startedAt: number
  readonly now: number
  readonly timezone?: string | null | undefined
}

/** Variables that the provider sets for every call. */
export const buildSystemVariables = ({
  agentId,
  conversationId,
  startedAt,
  now,
  timezone,
}: CallFacts): VariableValues => ({
  system__agent_id: agentId,
  system__current_agent_id: agentId,
  system__conversation_id: conversationId,
  system__time_utc: new Date(now).toISOString(),
  system__call_duration_secs: Math.floor((now - startedAt) / 1_000),
  ...buildTimeVariables(timezone, now),
})

function buildTimeVariables(timezone: CallFacts['timezone'], now: number): VariableValues {
  if (!timezone) return {}
  try {
    const time = new Intl.DateTimeFormat('en-GB', {
      dateStyle: 'full',
      timeStyle: 'short',
      timeZone: timezone,
    })
    return { system__timezone: timezone, system__time: time.format(now) }
  } catch {
    // Unknown time zone.
    return {}
  }
}

/** The vendor's message for variables without a value; undefined if all have one. */
function describeMissingVariables(
  config: ConversationConfig,
  tools: readonly ToolConfig[],
  variables: VariableValues,
): string | undefined {
  const { first_message: firstMessage, prompt } = config.agent
  const uses: readonly (readonly [string, readonly string[]])[] = [
    ['first message', findVariableNames(firstMessage)],
    ['prompt', findVariableNames(prompt.prompt)],
    ['tools', tools.flatMap(findToolVariables)],
  ]
  // Variables that a tool sets later may be missing now.
  const later = new Set(tools.flatMap(({ assignments }) => assignments.map((each) => each.dynamic_variable)))
  for (const [place, names] of uses) {
    const missing = [...new Set(names)].filter(
      (name) => getVariable(name, variables) === undefined && !later.has(name),
    )
    if (missing.length > 0)
      return `Missing required dynamic variables in ${place}: {${missing.map((name) => `'${name}'`).join(', ')}}`
  }
  return undefined
}

/** Variables that a tool uses without its own placeholder. */
function findToolVariables(tool: ToolConfig): readonly string[] {
  const placeholders = 'dynamic_variables' in tool ? getPlaceholders(tool.dynamic_variables) : {}
  return [...findVariableNames(tool.description), ...findParameterVariables(tool)].filter(
    (name) => !Object.hasOwn(placeholders, name),
  )
}

function getPlaceholders(variables: unknown): object {
  const { dynamic_variable_placeholders: placeholders } = variables as {
    dynamic_variable_placeholders?: object
  }
  return placeholders ?? {}
}

function findParameterVariables(tool: ToolConfig): readonly string[] {
  if (tool.type === 'client') return tool.parameters ? findPropertyVariables(tool.parameters) : []
  if (tool.type !== 'webhook') return []
  const { url, request_headers, path_params_schema, query_params_schema, request_body_schema } =
    tool.api_schema
  const properties = [
    ...Object.values(path_params_schema),
    ...Object.values(query_params_schema?.properties ?? {}),
    ...(request_body_schema ? [request_body_schema] : []),
  ]
  const headers = Object.values(request_headers).flatMap((value) => {
    if (typeof value === 'string') return findVariableNames(value)
    return 'variable_name' in value && typeof value.variable_name === 'string' ? [value.variable_name] : []
  })
  return [...findVariableNames(url), ...headers, ...properties.flatMap(findPropertyVariables)]
}

function findPropertyVariables(property: Property): readonly string[] {
  const { dynamic_variable: variable, constant_value: constant } = property
  return [
    ...(variable ? [variable] : []),
    ...(typeof constant === 'string' ? findVariableNames(constant) : []),
    ...(isObject(property) ? Object.values(property.properties).flatMap(findPropertyVariables) : []),
    ...(isList(property) ? findPropertyVariables(property.items) : []),
  ]
}
