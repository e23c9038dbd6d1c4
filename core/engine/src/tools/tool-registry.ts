import {
  type MediaHandle,
  type Preview,
  type ToolCall,
  type ToolGrant,
  type ToolInput,
  type ToolOutcome,
  type TurnErrorCode,
  fence,
  toCanonicalJson,
} from '@parley/contracts'
import type { NewMedia } from '../media/de-inline-media.ts'
import type { ToolDeclaration } from '../ports/model.ts'
import type { Media } from '../ports/session-store.ts'
import type {
  AllowedToolCall,
  ToolCallCircumstances,
  DecisionRecord,
  ToolRegistry,
  ToolResult,
  CallDecision,
} from '../ports/tools.ts'
import { boundText } from './bound-text.ts'
import { decideApproval } from './decide-approval.ts'
import { type Secret, maskSecrets } from './mask-secrets.ts'

export interface ToolsHost {
  /** The agent's tools; the session has no others. */
  readonly granted: readonly string[]
  readonly secrets: () => readonly Secret[]
  /** SHA-256 in hexadecimal digits. */
  readonly hash: (text: string) => string
  readonly encodeUtf8: (text: string) => Uint8Array
  readonly toMediaHandle: (bytes: Uint8Array) => MediaHandle
}

/**
 * Every call passes the same checks in the same order: is the tool granted, is its input valid, does the policy allow
 * it, does a person. The result is then masked, bounded and fenced.
 */
export function createToolRegistry(tools: readonly AnyTool[], host: ToolsHost): ToolRegistry {
  const granted = tools.filter(({ name }) => host.granted.includes(name))
  const mask = (text: string) => maskSecrets(text, host.secrets())

  const toRefusedCall = (
    by: DecisionRecord['by'],
    code: TurnErrorCode,
    text: string,
    target?: string,
  ): CallDecision => ({
    kind: 'refused',
    decided: { by, reason: mask(text), ...(target !== undefined && { target: mask(target) }) },
    outcome: { kind: 'failed', code, text: mask(text) },
  })

  const toAllowedToolCall = (
    plan: ToolCallPlan,
    by: DecisionRecord['by'],
    inputHash: string,
  ): AllowedToolCall => ({
    kind: 'allowed',
    decided: { by, target: mask(plan.target), inputHash },
    carryOut: (signal) => carryOut(plan, signal, host),
  })

  return {
    declarations: granted.map(toDeclaration),

    async decide(call, circumstances) {
      const tool = granted.find(({ name }) => name === call.name)
      if (!tool) return toRefusedCall('grant', 'tool_unavailable', describeUnknownTool(call, granted))
      const parsed = tool.input.parse(call.input)
      if (parsed.kind === 'invalid')
        return toRefusedCall('schema', 'validation', `The input of ${tool.name} is invalid: ${parsed.why}.`)
      const masked = host
        .secrets()
        .find(({ name }) => JSON.stringify(call.input).includes(`[secret ${name}]`))
      if (masked) return toRefusedCall('schema', 'validation', describeMaskedInput(tool.name, masked.name))
      const plan = await planToolCall(tool, parsed.input, circumstances.signal)
      if (plan.kind === 'refused') return toRefusedCall('policy', plan.code, plan.text, plan.target)

      const { approval } = plan
      const inputHash = host.hash(
        toCanonicalJson([
          tool.name,
          call.input,
          plan.target,
          approval?.state ?? '',
          approval?.forSession?.pin ?? '',
        ]),
      )
      if (!approval) return toAllowedToolCall(plan, 'policy', inputHash)
      const target = mask(plan.target)
      const preview =
        approval.preview && boundPreview({ ...approval.preview, text: mask(approval.preview.text) })
      // A person who cannot see the whole preview can only allow the call once.
      const grant = !preview?.isCut &&
        approval.forSession && { tool: tool.name, target, ...approval.forSession }
      return decideWithApproval(
        { plan, preview, grant: grant || undefined, inputHash, target },
        circumstances,
      )
    },
  }

  function decideWithApproval(
    { plan, preview, grant, inputHash, target }: PendingApproval,
    { answer, grants }: ToolCallCircumstances,
  ): CallDecision {
    const outcome = decideApproval({ grant, inputHash }, answer, grants)
    switch (outcome.kind) {
      case 'allowed':
        return toAllowedToolCall(plan, outcome.by, inputHash)
      case 'refused':
        return answer?.unattended
          ? toRefusedCall('unattended', 'tool_denied', UNATTENDED, target)
          : toRefusedCall('person', 'tool_denied', REFUSED, target)
      case 'asks': {
        return {
          kind: 'asks',
          target,
          inputHash,
          ...(preview && { preview: { kind: preview.kind, text: preview.text } }),
          ...(grant && { grant }),
        }
      }
      default:
        return outcome satisfies never
    }
  }
}

interface PendingApproval {
  readonly plan: ToolCallPlan
  readonly preview: ShownPreview | undefined
  readonly grant: ToolGrant | undefined
  readonly inputHash: string
  readonly target: string
}

const REFUSED =
  'The person refused this call. Do not try it again by other means; continue without it, or ask them.'

const UNATTENDED =
  'No person was available to approve this call, so it was not made. Continue without it, and name the remaining work.'

const toDeclaration = ({ name, description, input, mayRepeat }: AnyTool): ToolDeclaration => ({
  name,
  description,
  inputSchema: input.jsonSchema,
  ...(mayRepeat && { mayRepeat }),
})

/** A mask in the input would overwrite the real value. */
const describeMaskedInput = (tool: string, name: string): string =>
  `The input of ${tool} holds [secret ${name}], which replaces a value that is not shown to you. Leave the lines with it as they are: edit_file changes those around them.`

const describeUnknownTool = ({ name }: ToolCall, granted: readonly AnyTool[]): string =>
  granted.length === 0
    ? `There is no tool "${name}" here: this agent has none.`
    : `There is no tool "${name}" here. There are: ${granted.map((tool) => tool.name).join(', ')}.`

async function planToolCall(
  tool: AnyTool,
  input: unknown,
  signal: AbortSignal,
): Promise<ToolCallPlan | ToolCallRefusal> {
  try {
    // The tool's own schema produced this input.
    return await tool.plan(input as never, signal)
  } catch (failure) {
    return { kind: 'refused', code: 'tool_failed', text: `${tool.name} failed: ${readErrorMessage(failure)}` }
  }
}

async function carryOut(plan: ToolCallPlan, signal: AbortSignal, host: ToolsHost): Promise<ToolResult> {
  let result: RawToolResult
  try {
    result = await plan.carryOut(signal)
  } catch (failure) {
    result = signal.aborted
      ? { kind: 'failed', code: 'cancelled', text: 'The call was cancelled.' }
      : { kind: 'failed', code: 'tool_failed', text: readErrorMessage(failure) }
  }
  return toToolResult(result, plan, host)
}

function toToolResult(result: RawToolResult, { origin }: ToolCallPlan, host: ToolsHost): ToolResult {
  const { hash, secrets, encodeUtf8, toMediaHandle } = host
  const text = maskSecrets(result.text, secrets())
  const { head, omitted } = boundText(text)
  const kept: Media[] = []
  let shown = head
  let whole: MediaHandle | undefined
  if (omitted) {
    const bytes = encodeUtf8(text)
    whole = toMediaHandle(bytes)
    kept.push({ mediaType: 'text/plain', bytes })
    shown = `${head}\n[${omitted.lines === 1 ? '1 line' : `${omitted.lines} lines`}, ${omitted.bytes} bytes omitted; to read the rest: read_file ${whole} with ${head.endsWith('\n') ? `from_line ${head.split('\n').length}` : `from_character ${head.length}`}]\n${omitted.tail}`
  }
  const fenced =
    origin === undefined || text === '' ? shown : fence(shown, maskSecrets(origin, secrets()), hash)
  const outcome: ToolOutcome = {
    ...(result.kind === 'ok' ? { kind: 'ok' } : { kind: 'failed', code: result.code }),
    text: fenced,
    ...(whole && { whole }),
  }
  return {
    outcome,
    ...(result.kind === 'ok' && result.media && result.media.length > 0 && { media: result.media }),
    ...(kept.length > 0 && { kept }),
  }
}

const MAX_PREVIEW_BYTES = 200_000
const MAX_PREVIEW_LINES = 10_000

interface ShownPreview extends Preview {
  readonly isCut: boolean
}

function boundPreview({ kind, text }: Preview): ShownPreview {
  const { head, omitted } = boundText(text, MAX_PREVIEW_BYTES, MAX_PREVIEW_LINES)
  if (!omitted) return { kind, text, isCut: false }
  return {
    kind,
    text: `${head}\n… ${omitted.lines} lines are not shown here …\n${omitted.tail}`,
    isCut: true,
  }
}

const readErrorMessage = (failure: unknown): string =>
  failure instanceof Error ? failure.message : String(failure)

/** One tool of one session. */
export interface Tool<Input = unknown> {
  readonly name: string
  readonly description: string
  readonly input: ToolInput<Input>
  /** A call with unknown outcome may be repeated: it only reads, or it is idempotent. */
  readonly mayRepeat?: true
  /** The call's plan, or why the policy forbids it. Reads only. */
  plan(input: Input, signal: AbortSignal): Promise<ToolCallPlan | ToolCallRefusal>
}

export interface ToolCallPlan {
  readonly kind: 'plan'
  /** The call's target for a person: a path, a command line, a host. */
  readonly target: string
  /** What a person must approve; absent if the policy allows the call. */
  readonly approval?: ToolCallApproval
  /** The origin of an untrusted result: it reaches the model fenced, as data. */
  readonly origin?: string
  /** May throw; the model then gets a tool failure. */
  carryOut(signal: AbortSignal): Promise<RawToolResult>
}

interface ToolCallApproval {
  readonly preview?: Preview
  /** The state the plan found, such as a file's hash: an answer counts only while it is unchanged. */
  readonly state?: string
  /** Set if an answer may hold for the session; `pin` binds it beyond tool and target. */
  readonly forSession?: { readonly pin?: string }
}

/** A tool's result before it is bounded, masked and fenced. */
export type RawToolResult =
  | { readonly kind: 'ok'; readonly text: string; readonly media?: readonly NewMedia[] }
  | { readonly kind: 'failed'; readonly code: TurnErrorCode; readonly text: string }

export interface ToolCallRefusal {
  readonly kind: 'refused'
  readonly code: Extract<TurnErrorCode, 'tool_denied' | 'tool_failed' | 'tool_unavailable' | 'validation'>
  /** The reason and the next step, for the model and the person. */
  readonly text: string
  readonly target?: string
}

export const createToolCallRefusal = (
  text: string,
  code: ToolCallRefusal['code'] = 'tool_denied',
  target?: string,
): ToolCallRefusal => ({
  kind: 'refused',
  code,
  text,
  ...(target !== undefined && { target }),
})

/** A tool whose input is checked before it is planned. */
export type AnyTool = Omit<Tool, 'plan' | 'input'> & {
  readonly input: ToolInput<unknown>
  readonly plan: (input: never, signal: AbortSignal) => Promise<ToolCallPlan | ToolCallRefusal>
}
