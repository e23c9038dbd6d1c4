import type { Json } from '@parley/contracts'
import type { AgentDocument } from '../agents/agent-document.ts'
import { ConversationConfig } from '../agents/conversation-config.ts'

export type Overridden =
  | { readonly kind: 'overridden'; readonly config: ConversationConfig }
  | { readonly kind: 'refused'; readonly field: string }
  | { readonly kind: 'unfit'; readonly why: string }

type JsonObject = Readonly<Record<string, Json>>

/**
 * The agent's configuration with what the client wants otherwise, where the agent allows it. An empty object wants
 * nothing, and so does the value that the agent has anyway: the vendor's clients send both unasked.
 */
export function applyOverrides(agent: AgentDocument, wanted: JsonObject): Overridden {
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
    if (isObject(want)) {
      const inner = merge(isObject(has) ? has : {}, want, isObject(may) ? may : {}, at)
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

const isObject = (value: Json | undefined): value is Record<string, Json> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
