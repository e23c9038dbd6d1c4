import type { Json, Preview, ToolInput, TurnErrorCode } from '@parley/contracts'
import type { NewMedia } from '../media/de-inline-media.ts'

/** One tool of one session. */
export interface Tool<Input = unknown> {
  readonly name: string
  readonly description: string
  readonly input: ToolInput<Input>
  /** A call whose outcome is not known may be made again: it only reads, or makes the same thing the same way. */
  readonly mayRepeat?: true
  /** What the call would do, or why the policy forbids it. Looks, and changes nothing. */
  plan(input: Input, signal: AbortSignal): Promise<Plan | Refusal>
}

export interface Plan {
  readonly kind: 'plan'
  /** What the call reaches, as a person reads it: a path, a command line, a host. */
  readonly target: string
  /** Where a person has to be asked; absent where the policy allows the call by itself. */
  readonly question?: Question
  /** Where the result comes from, if not from ourselves: it reaches the model fenced, as data. */
  readonly origin?: string
  /** May throw; that it did is told to the model as a failure of the tool. */
  carryOut(signal: AbortSignal): Promise<ToolText>
}

export interface Question {
  readonly preview?: Preview
  /** What the plan found, such as the hash of a file: an answer counts only while it is found again. */
  readonly state?: string
  /** Whether an answer may hold for the session, and what it is bound to beside tool and target. */
  readonly forSession?: { readonly pin?: string }
}

/** What a tool has to say, before it is bounded, masked and fenced. */
export type ToolText =
  | { readonly kind: 'ok'; readonly text: string; readonly media?: readonly NewMedia[] }
  | { readonly kind: 'failed'; readonly code: TurnErrorCode; readonly text: string }

export interface Refusal {
  readonly kind: 'refused'
  readonly code: Extract<TurnErrorCode, 'tool_denied' | 'tool_failed' | 'tool_unavailable' | 'validation'>
  /** What, and how to go on: the model reads it, and so does the person. */
  readonly text: string
  readonly target?: string
}

export const refuse = (text: string, code: Refusal['code'] = 'tool_denied', target?: string): Refusal => ({
  kind: 'refused',
  code,
  text,
  ...(target !== undefined && { target }),
})

/** A tool whose input is checked before its plan is asked for. */
export type AnyTool = Omit<Tool, 'plan' | 'input'> & {
  readonly input: ToolInput<unknown>
  readonly plan: (input: never, signal: AbortSignal) => Promise<Plan | Refusal>
}

/** JSON with its keys in order, so that the same input is the same text. */
export function canonicalJson(value: Json | undefined): string {
  if (value === undefined) return 'null'
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const entries = Object.keys(value)
    .toSorted()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key])}`)
  return `{${entries.join(',')}}`
}
