import { createHash } from 'node:crypto'
import type { StepId, TurnError, TurnId } from '@parley/contracts'
import {
  type LlmMessage,
  type ModelPort,
  type ModelRequest,
  runAgentTurn,
  type ToolRegistry,
} from '@parley/engine'
import type { ConversationConfig } from '../agents/conversation-config.ts'

type TurnHost = Parameters<typeof runAgentTurn>[1]

export interface TurnRun {
  readonly model: ModelPort
  readonly tools: ToolRegistry
  readonly system: string
  readonly conversation: NonNullable<ModelRequest['conversation']>
  readonly past: readonly LlmMessage[]
  readonly prompt: ConversationConfig['agent']['prompt']
  readonly signal: AbortSignal
  readonly say: (text: string) => void
  /** A step, or what a tool answered. */
  readonly onMessage: (message: LlmMessage) => void
  /** Asked after each tool: the turn ends here where the conversation goes another way. */
  readonly isOver: () => boolean
}

/** One turn of our engine on a past of its own, in memory; why it failed, where it did. */
export async function runTurn({
  model,
  tools,
  system,
  past,
  ...run
}: TurnRun): Promise<TurnError | undefined> {
  const turn = {
    id: `trn_${suffix()}` as TurnId,
    number: 1,
    system,
    past,
    transcript: [],
    steps: 0,
    usage: { inputTokens: 0, outputTokens: 0 },
  }
  const outputs = runAgentTurn(turn, hostOf(model, tools, run))
  for await (const output of outputs) {
    if (output.type === 'turn:message' && output.message.role !== 'system') run.onMessage(output.message)
    if (output.type === 'agent:tool_result' && run.isOver()) return undefined
    if (output.type === 'session:turn_completed') return output.error
  }
  return undefined
}

const LIMITS: TurnHost['limits'] = {
  maxTurns: Infinity,
  maxToolTurns: 25,
  maxMessages: 200,
  autoCompact: true,
  compactThreshold: 0.8,
  onExceed: 'fail',
}

/** Where the agent sets no bound on an answer. */
const USUAL_TOKENS = 4_096

function hostOf(
  model: ModelPort,
  tools: ToolRegistry,
  { prompt, conversation, signal, say }: Pick<TurnRun, 'prompt' | 'conversation' | 'signal' | 'say'>,
): TurnHost {
  const { temperature, max_tokens: maxTokens, reasoning_effort: effort } = prompt
  return {
    models: [model],
    tools,
    limits: LIMITS,
    conversation,
    maxTokens: maxTokens > 0 ? maxTokens : USUAL_TOKENS,
    ...(temperature !== null && { temperature }),
    ...((effort === 'low' || effort === 'medium' || effort === 'high') && { reasoningEffort: effort }),
    costs: () => ({}),
    grants: () => [],
    handleOf: (bytes) => `media://sha256-${createHash('sha256').update(bytes).digest('hex')}`,
    signal,
    say: (_, part, text) => {
      part.text += text
      if (part.type === 'text') say(text)
      return undefined
    },
    nextStepId: () => `stp_${suffix()}` as StepId,
  }
}

/** Ids that live no longer than the turn. */
const suffix = (): string => crypto.randomUUID().replaceAll('-', '')
