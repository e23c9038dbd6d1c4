import { type ChatConfig, FsScopeTier, OnExceed } from '@parley/contracts'
import { DEFAULT_LIMITS, type SessionLimits } from '@parley/engine'

export interface ChatSettings {
  readonly default_model: string
  readonly reasoning_effort: ChatConfig['reasoning_effort']
  readonly fs_scope: FsScopeTier
  readonly max_turns: number
  readonly max_tool_turns: number
  readonly max_messages: number
  readonly auto_compact: boolean
  readonly compact_threshold: number
  /** Undefined means no limit. */
  readonly max_cost_microcents: number | undefined
  readonly on_exceed: NonNullable<ChatConfig['on_exceed']>
  readonly allowed_commands: readonly string[]
  readonly allowed_command_globs: readonly string[]
  readonly allowed_domains: readonly string[]
}

export const DEFAULT_CHAT: ChatSettings = {
  default_model: 'offline/offline',
  reasoning_effort: undefined,
  fs_scope: 'sandboxed',
  max_turns: DEFAULT_LIMITS.maxTurns,
  max_tool_turns: DEFAULT_LIMITS.maxToolTurns,
  max_messages: DEFAULT_LIMITS.maxMessages,
  auto_compact: DEFAULT_LIMITS.autoCompact,
  compact_threshold: DEFAULT_LIMITS.compactThreshold,
  max_cost_microcents: undefined,
  on_exceed: DEFAULT_LIMITS.onExceed,
  allowed_commands: [],
  allowed_command_globs: [],
  allowed_domains: [],
}

/** A value limited to the allowed one, and the part beyond it. */
export interface Narrowed<Value> {
  readonly value: Value
  readonly wider?: unknown
}

interface NarrowingRule<Value> {
  /** For `docs/configuration.md`. */
  readonly description: string
  readonly narrow: (allowed: Value, requested: NonNullable<Value>) => Narrowed<Value>
}

/** How a project's file may change each setting; models are checked elsewhere. */
export const NARROWING: { readonly [Key in keyof ChatSettings]: NarrowingRule<ChatSettings[Key]> } = {
  default_model: allowAny('same provider, or offline'),
  reasoning_effort: allowAny('any value'),
  fs_scope: allowStricter(FsScopeTier.options),
  max_turns: allowLower(),
  max_tool_turns: allowLower(),
  max_messages: allowLower(),
  auto_compact: allowAny('any value'),
  compact_threshold: allowAny('any value'),
  max_cost_microcents: allowLower(),
  on_exceed: allowStricter(OnExceed.options),
  allowed_commands: allowSubset(),
  allowed_command_globs: allowSubset(),
  allowed_domains: allowSubset(),
}

function allowAny<Value>(description: string): NarrowingRule<Value> {
  return { description, narrow: (_, requested) => ({ value: requested }) }
}

function allowLower<Value extends number | undefined>(): NarrowingRule<Value> {
  return {
    description: 'lower',
    narrow: (allowed, requested) =>
      allowed === undefined || requested <= allowed
        ? { value: requested }
        : { value: allowed, wider: requested },
  }
}

/** For choices listed from narrowest to widest. */
function allowStricter<Value extends string>(order: readonly Value[]): NarrowingRule<Value> {
  return {
    description: 'stricter',
    narrow: (allowed, requested) =>
      order.indexOf(requested) <= order.indexOf(allowed)
        ? { value: requested }
        : { value: allowed, wider: requested },
  }
}

/** A list with anything new needs trust as a whole; until then the user's own list applies. */
function allowSubset(): NarrowingRule<readonly string[]> {
  return {
    description: 'only entries of yours',
    narrow(allowed, requested) {
      const wider = requested.filter((item) => !allowed.includes(item))
      return wider.length === 0 ? { value: requested } : { value: allowed, wider }
    },
  }
}

/** The session limits in the settings; the engine fills in defaults. */
export function toSessionLimits(chat: ChatSettings): Partial<SessionLimits> {
  const { max_cost_microcents } = chat
  return {
    maxTurns: chat.max_turns,
    maxToolTurns: chat.max_tool_turns,
    maxMessages: chat.max_messages,
    autoCompact: chat.auto_compact,
    compactThreshold: chat.compact_threshold,
    ...(max_cost_microcents !== undefined && { maxCostMicrocents: max_cost_microcents }),
    onExceed: chat.on_exceed,
  }
}
