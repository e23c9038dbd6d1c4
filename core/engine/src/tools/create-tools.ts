import type { MediaHandle, ToolCall, ToolGrant, ToolOutcome, TurnErrorCode } from '@parley/contracts'
import type { ToolDeclaration } from '../ports/model.ts'
import type { Media } from '../ports/session-store.ts'
import type { Allowed, CallCircumstances, Decided, ToolPort, ToolResult, Verdict } from '../ports/tools.ts'
import { boundText } from './bound-text.ts'
import { decideApproval } from './decide-approval.ts'
import { fence } from './fence.ts'
import { maskSecrets, type Secret } from './mask-secrets.ts'
import { type AnyTool, canonicalJson, type Plan, type Refusal, type ToolText } from './tool.ts'

export interface ToolsHost {
  /** What the agent may use; a session has no other tools, whatever the model asks for. */
  readonly granted: readonly string[]
  readonly secrets: () => readonly Secret[]
  /** SHA-256 in hexadecimal digits. */
  readonly hash: (text: string) => string
  readonly bytesOf: (text: string) => Uint8Array
  readonly handleOf: (bytes: Uint8Array) => MediaHandle
}

/**
 * The one door that every call goes through, in one order: is the tool granted, is its input right, does the policy
 * allow it, does a person. What it says is then masked, bounded and fenced.
 */
export function createTools(tools: readonly AnyTool[], host: ToolsHost): ToolPort {
  const granted = tools.filter(({ name }) => host.granted.includes(name))
  const mask = (text: string) => maskSecrets(text, host.secrets())

  const refused = (by: Decided['by'], code: TurnErrorCode, text: string, target?: string): Verdict => ({
    kind: 'refused',
    decided: { by, reason: mask(text), ...(target !== undefined && { target: mask(target) }) },
    outcome: { kind: 'failed', code, text: mask(text) },
  })

  const allowed = (plan: Plan, by: Decided['by'], inputHash: string): Allowed => ({
    kind: 'allowed',
    decided: { by, target: mask(plan.target), inputHash },
    carryOut: (signal) => carryOut(plan, signal, host),
  })

  return {
    declarations: granted.map(declarationOf),

    async decide(call, circumstances) {
      const tool = granted.find(({ name }) => name === call.name)
      if (!tool) return refused('grant', 'tool_unavailable', noSuchTool(call, granted))
      const parsed = tool.input.parse(call.input)
      if (parsed.kind === 'invalid')
        return refused('schema', 'validation', `The input of ${tool.name} is not right: ${parsed.why}.`)
      const plan = await planOf(tool, parsed.input, circumstances.signal)
      if (plan.kind === 'refused') return refused('policy', plan.code, plan.text, plan.target)

      const { question } = plan
      const inputHash = host.hash(
        canonicalJson([
          tool.name,
          call.input,
          plan.target,
          question?.state ?? '',
          question?.forSession?.pin ?? '',
        ]),
      )
      if (!question) return allowed(plan, 'policy', inputHash)
      const target = mask(plan.target)
      const grant = question.forSession && { tool: tool.name, target, ...question.forSession }
      return withApproval({ plan, grant, inputHash, target }, circumstances)
    },
  }

  function withApproval(
    {
      plan,
      grant,
      inputHash,
      target,
    }: { plan: Plan; grant: ToolGrant | undefined; inputHash: string; target: string },
    { answer, grants }: CallCircumstances,
  ): Verdict {
    const approval = decideApproval({ grant, inputHash }, answer, grants)
    switch (approval.kind) {
      case 'allowed':
        return allowed(plan, approval.by, inputHash)
      case 'refused':
        return refused('person', 'tool_denied', REFUSED, target)
      case 'asks': {
        const preview = plan.question?.preview
        return {
          kind: 'asks',
          target,
          inputHash,
          ...(preview && { preview: { ...preview, text: shown(mask(preview.text)) } }),
          ...(grant && { grant }),
        }
      }
      default:
        return approval satisfies never
    }
  }
}

const REFUSED =
  'The person refused this call. Do not try it again by other means; go on without it, or ask them.'

const declarationOf = ({ name, description, input, mayRepeat }: AnyTool): ToolDeclaration => ({
  name,
  description,
  inputSchema: input.jsonSchema,
  ...(mayRepeat && { mayRepeat }),
})

const noSuchTool = ({ name }: ToolCall, granted: readonly AnyTool[]): string =>
  granted.length === 0
    ? `There is no tool "${name}" here: this agent has none.`
    : `There is no tool "${name}" here. There are: ${granted.map((tool) => tool.name).join(', ')}.`

async function planOf(tool: AnyTool, input: unknown, signal: AbortSignal): Promise<Plan | Refusal> {
  try {
    // The tool's own schema has just made this input.
    return await tool.plan(input as never, signal)
  } catch (failure) {
    return { kind: 'refused', code: 'tool_failed', text: `${tool.name} failed: ${messageOf(failure)}` }
  }
}

async function carryOut(plan: Plan, signal: AbortSignal, host: ToolsHost): Promise<ToolResult> {
  let said: ToolText
  try {
    said = await plan.carryOut(signal)
  } catch (failure) {
    said = signal.aborted
      ? { kind: 'failed', code: 'cancelled', text: 'The call was cancelled.' }
      : { kind: 'failed', code: 'tool_failed', text: messageOf(failure) }
  }
  return finished(said, plan, host)
}

function finished(said: ToolText, { origin }: Plan, host: ToolsHost): ToolResult {
  const { hash, secrets, bytesOf, handleOf } = host
  const text = maskSecrets(said.text, secrets())
  const { head, left } = boundText(text)
  const kept: Media[] = []
  let given = head
  let whole: MediaHandle | undefined
  if (left) {
    const bytes = bytesOf(text)
    whole = handleOf(bytes)
    kept.push({ mediaType: 'text/plain', bytes })
    given = `${head}\n[${left.lines} lines, ${left.bytes} bytes left out here; all of it: read_file ${whole}]\n${left.tail}`
  }
  const fenced =
    origin === undefined || text === '' ? given : fence(given, maskSecrets(origin, secrets()), hash)
  const outcome: ToolOutcome = {
    ...(said.kind === 'ok' ? { kind: 'ok' } : { kind: 'failed', code: said.code }),
    text: fenced,
    ...(whole && { whole }),
  }
  return {
    outcome,
    ...(said.kind === 'ok' && said.media && said.media.length > 0 && { media: said.media }),
    ...(kept.length > 0 && { kept }),
  }
}

const LONGEST_PREVIEW = 30_000

function shown(preview: string): string {
  const { head, left } = boundText(preview, LONGEST_PREVIEW)
  return left ? `${head}\n… ${left.lines} lines are not shown here …\n${left.tail}` : head
}

const messageOf = (failure: unknown): string => (failure instanceof Error ? failure.message : String(failure))
