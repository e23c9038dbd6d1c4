import { type ChatConfig, FsScopeTier, OnExceed } from '@parley/contracts'

/** What holds for chats when every file has had its say. */
export interface ChatSettings {
  readonly default_model: string
  readonly reasoning_effort: ChatConfig['reasoning_effort']
  readonly fs_scope: FsScopeTier
  readonly max_turns: number
  readonly max_tool_turns: number
  /** Undefined where there is no limit. */
  readonly max_messages: number | undefined
  readonly auto_compact: boolean
  readonly compact_threshold: number
  /** Undefined where there is no limit. */
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
  max_turns: 50,
  max_tool_turns: 100,
  max_messages: undefined,
  auto_compact: true,
  compact_threshold: 0.8,
  max_cost_microcents: undefined,
  on_exceed: 'fail',
  allowed_commands: [],
  allowed_command_globs: [],
  allowed_domains: [],
}

/** What is left of a wish when it may only narrow what is allowed, and what of it would be wider. */
export interface Narrowed<Value> {
  readonly value: Value
  readonly wider?: unknown
}

type Rule<Value> = (allowed: Value, asked: NonNullable<Value>) => Narrowed<Value>

/** How a file that came with a project may change each setting; where a model answers is judged elsewhere. */
export const NARROWING: { readonly [Key in keyof ChatSettings]: Rule<ChatSettings[Key]> } = {
  default_model: override,
  reasoning_effort: override,
  fs_scope: atMost(FsScopeTier.options),
  max_turns: smaller,
  max_tool_turns: smaller,
  max_messages: smaller,
  auto_compact: override,
  compact_threshold: override,
  max_cost_microcents: smaller,
  on_exceed: atMost(OnExceed.options),
  allowed_commands: intersect,
  allowed_command_globs: intersect,
  allowed_domains: intersect,
}

function override<Value>(_: Value, asked: NonNullable<Value>): Narrowed<Value> {
  return { value: asked }
}

function smaller<Value extends number | undefined>(
  allowed: Value,
  asked: NonNullable<Value>,
): Narrowed<Value> {
  return allowed === undefined || asked <= allowed ? { value: asked } : { value: allowed, wider: asked }
}

/** Of choices that are listed from the narrowest to the widest. */
function atMost<Value extends string>(order: readonly Value[]): Rule<Value> {
  return (allowed, asked) =>
    order.indexOf(asked) <= order.indexOf(allowed) ? { value: asked } : { value: allowed, wider: asked }
}

function intersect(allowed: readonly string[], asked: readonly string[]): Narrowed<readonly string[]> {
  const value = asked.filter((item) => allowed.includes(item))
  const wider = asked.filter((item) => !allowed.includes(item))
  return wider.length === 0 ? { value } : { value, wider }
}
