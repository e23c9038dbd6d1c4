import type { Json } from '@parley/contracts'
import type { AgentDocument } from '../agents/agent-document.ts'
import { ConversationConfig } from '../agents/conversation-config.ts'
import type { Property, ToolConfig } from '../agents/tool-document.ts'
import { isList, isObject } from '../agent-tools/parameters.ts'
import { type Variables, isSecret, namesIn, valueOf } from '../agent-tools/variables.ts'
import type { Initiation } from './client-frame.ts'
import type { ConversationHost } from './conversation-record.ts'
import type { ErrorType } from './server-event.ts'

export type Prepared =
  | {
      readonly kind: 'ready'
      readonly agent: AgentDocument
      readonly tools: readonly ToolConfig[]
      /** Given by the client, or the agent's placeholders. */
      readonly variables: Variables
    }
  | { readonly kind: 'refused'; readonly errorType: ErrorType; readonly reason: string }

/** What a conversation runs with, or why it cannot begin, in the vendor's words where they are known. */
export async function prepareConversation(
  agent: AgentDocument,
  initiation: Initiation,
  systemVariables: Variables,
  host: Pick<ConversationHost, 'findTools'>,
): Promise<Prepared> {
  const overridden = applyOverrides(agent, initiation.conversation_config_override ?? {})
  if (overridden.kind === 'refused')
    return refused('override_error', `Override for field '${overridden.field}' is not allowed by config.`)
  if (overridden.kind === 'unfit')
    return refused('override_error', `The override is not valid: ${overridden.why}`)
  const { config } = overridden
  const wantsExtraBody = Object.keys(initiation.custom_llm_extra_body ?? {}).length > 0
  if (wantsExtraBody && !agent.platform_settings.overrides.custom_llm_extra_body)
    return refused('override_error', "Override for field 'custom_llm_extra_body' is not allowed by config.")

  const given = initiation.dynamic_variables ?? {}
  const flaw = flawOf(given)
  if (flaw !== undefined) return refused('value_error', flaw)
  const placeholders = config.agent.dynamic_variables.dynamic_variable_placeholders as Variables
  const variables = { ...placeholders, ...given }
  const tools = await toolsOf(config, host)
  const missing = missingVariables(config, tools, { ...variables, ...systemVariables })
  if (missing !== undefined) return refused('missing_dynamic_variable', missing)
  return { kind: 'ready', agent: { ...agent, conversation_config: config }, tools, variables }
}

const refused = (errorType: ErrorType, reason: string): Prepared => ({ kind: 'refused', errorType, reason })

const MOST_VARIABLES = 500
const MOST_CHARACTERS = 100_000
/** Each is looked for in all that is said. */
const MOST_SECRETS = 20

function flawOf(given: Readonly<Record<string, Json>>): string | undefined {
  const names = Object.keys(given)
  const reserved = names.find((name) => name.startsWith('system__'))
  if (reserved !== undefined)
    return `Dynamic variable '${reserved}' is reserved: names with system__ cannot be set.`
  if (names.length > MOST_VARIABLES) return `More than ${MOST_VARIABLES} dynamic variables.`
  if (names.filter(isSecret).length > MOST_SECRETS)
    return `More than ${MOST_SECRETS} secret dynamic variables.`
  if (JSON.stringify(given).length > MOST_CHARACTERS)
    return `The dynamic variables have more than ${MOST_CHARACTERS} characters.`
  return undefined
}

async function toolsOf(
  { agent: { prompt } }: ConversationConfig,
  { findTools }: Pick<ConversationHost, 'findTools'>,
): Promise<readonly ToolConfig[]> {
  const kept = prompt.tool_ids.length > 0 ? await findTools(prompt.tool_ids) : []
  const builtIn = Object.values(prompt.built_in_tools) as readonly (ToolConfig | null | undefined)[]
  const all = [...kept.map(({ tool_config }) => tool_config), ...(prompt.tools ?? []), ...builtIn]
  return all.filter((tool) => tool !== null && tool !== undefined)
}

type Overridden =
  | { readonly kind: 'overridden'; readonly config: ConversationConfig }
  | { readonly kind: 'refused'; readonly field: string }
  | { readonly kind: 'unfit'; readonly why: string }

type JsonObject = Readonly<Record<string, Json>>

/**
 * The agent's configuration with what the client wants otherwise, where the agent allows it. An empty object wants
 * nothing, and so does the value that the agent has anyway: the vendor's clients send both unasked.
 */
function applyOverrides(agent: AgentDocument, wanted: JsonObject): Overridden {
  const allowed = agent.platform_settings.overrides.conversation_config_override as unknown as JsonObject
  const config = agent.conversation_config as unknown as JsonObject
  const merged = merge(config, wanted, allowed, [])
  if (merged.kind === 'refused') return merged
  const parsed = ConversationConfig.safeParse(merged.value)
  if (parsed.success) return { kind: 'overridden', config: parsed.data }
  const [issue] = parsed.error.issues
  return { kind: 'unfit', why: `${issue?.path.join('.')}: ${issue?.message}` }
}

type Merged =
  | { readonly kind: 'merged'; readonly value: JsonObject }
  | { readonly kind: 'refused'; readonly field: string }

function merge(config: JsonObject, wanted: JsonObject, allowed: JsonObject, path: readonly string[]): Merged {
  let value = config
  for (const [field, want] of Object.entries(wanted)) {
    const has = own(config, field)
    if (want === null || JSON.stringify(want) === JSON.stringify(has)) continue
    const may = own(allowed, field)
    const at = [...path, field]
    if (isJsonObject(want)) {
      const inner = merge(isJsonObject(has) ? has : {}, want, isJsonObject(may) ? may : {}, at)
      if (inner.kind === 'refused') return inner
      value = { ...value, [field]: inner.value }
      continue
    }
    const chosen = FOR_ALL[at.join('.')]?.(want, has)
    if (may !== true && chosen === undefined) return { kind: 'refused', field }
    value = { ...value, [field]: chosen ?? want }
  }
  return { kind: 'merged', value }
}

/** What every client may choose, since it concerns nobody else: which events it is told. Whole results of tools only if the agent shows them. */
const FOR_ALL: Readonly<Record<string, (want: Json, has: Json | undefined) => Json>> = {
  'conversation.client_events': (want, has) =>
    Array.isArray(want)
      ? want.filter((event) => event !== WHOLE_RESULTS || (Array.isArray(has) && has.includes(WHOLE_RESULTS)))
      : want,
}
const WHOLE_RESULTS = 'agent_tool_response_full_payload'

const own = (object: JsonObject, field: string): Json | undefined =>
  Object.hasOwn(object, field) ? object[field] : undefined

const isJsonObject = (value: Json | undefined): value is Record<string, Json> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

interface Facts {
  readonly agentId: string
  readonly conversationId: string
  readonly startedAt: number
  readonly now: number
  readonly timezone?: string | null | undefined
}

/** What the provider itself knows of a call. */
export const systemVariables = ({ agentId, conversationId, startedAt, now, timezone }: Facts): Variables => ({
  system__agent_id: agentId,
  system__current_agent_id: agentId,
  system__conversation_id: conversationId,
  system__time_utc: new Date(now).toISOString(),
  system__call_duration_secs: Math.floor((now - startedAt) / 1_000),
  ...timeIn(timezone, now),
})

function timeIn(timezone: Facts['timezone'], now: number): Variables {
  if (!timezone) return {}
  try {
    const time = new Intl.DateTimeFormat('en-GB', {
      dateStyle: 'full',
      timeStyle: 'short',
      timeZone: timezone,
    })
    return { system__timezone: timezone, system__time: time.format(now) }
  } catch {
    // A zone that nobody knows has no time.
    return {}
  }
}

/** What the vendor says where a text asks for variables that have no value; undefined where all have one. */
function missingVariables(
  config: ConversationConfig,
  tools: readonly ToolConfig[],
  variables: Variables,
): string | undefined {
  const { first_message: firstMessage, prompt } = config.agent
  const asked: readonly (readonly [string, readonly string[]])[] = [
    ['first message', namesIn(firstMessage)],
    ['prompt', namesIn(prompt.prompt)],
    ['tools', tools.flatMap(namesOfTool)],
  ]
  // What a tool's answer will set has no value yet, and may be asked for all the same.
  const later = new Set(tools.flatMap(({ assignments }) => assignments.map((each) => each.dynamic_variable)))
  for (const [place, names] of asked) {
    const missing = [...new Set(names)].filter(
      (name) => valueOf(name, variables) === undefined && !later.has(name),
    )
    if (missing.length > 0)
      return `Missing required dynamic variables in ${place}: {${missing.map((name) => `'${name}'`).join(', ')}}`
  }
  return undefined
}

/** The variables that a tool asks for and has no placeholder of its own for. */
function namesOfTool(tool: ToolConfig): readonly string[] {
  const own = 'dynamic_variables' in tool ? placeholdersOf(tool.dynamic_variables) : {}
  return [...namesIn(tool.description), ...namesOfParameters(tool)].filter(
    (name) => !Object.hasOwn(own, name),
  )
}

function placeholdersOf(variables: unknown): object {
  const { dynamic_variable_placeholders: placeholders } = variables as {
    dynamic_variable_placeholders?: object
  }
  return placeholders ?? {}
}

function namesOfParameters(tool: ToolConfig): readonly string[] {
  if (tool.type === 'client') return tool.parameters ? namesOfProperty(tool.parameters) : []
  if (tool.type !== 'webhook') return []
  const { url, request_headers, path_params_schema, query_params_schema, request_body_schema } =
    tool.api_schema
  const properties = [
    ...Object.values(path_params_schema),
    ...Object.values(query_params_schema?.properties ?? {}),
    ...(request_body_schema ? [request_body_schema] : []),
  ]
  const headers = Object.values(request_headers).flatMap((value) => {
    if (typeof value === 'string') return namesIn(value)
    return 'variable_name' in value && typeof value.variable_name === 'string' ? [value.variable_name] : []
  })
  return [...namesIn(url), ...headers, ...properties.flatMap(namesOfProperty)]
}

function namesOfProperty(property: Property): readonly string[] {
  const { dynamic_variable: variable, constant_value: constant } = property
  return [
    ...(variable ? [variable] : []),
    ...(typeof constant === 'string' ? namesIn(constant) : []),
    ...(isObject(property) ? Object.values(property.properties).flatMap(namesOfProperty) : []),
    ...(isList(property) ? namesOfProperty(property.items) : []),
  ]
}
