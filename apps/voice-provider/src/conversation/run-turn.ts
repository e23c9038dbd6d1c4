import { createHash } from 'node:crypto'
import {
  type StepId,
  type TurnError,
  type TurnId,
  UPDATES_HEADING,
  createMediaHandle,
} from '@parley/contracts'
import {
  type LlmMessage,
  type ModelPort,
  type ModelRequest,
  runAgentTurn,
  type ToolRegistry,
} from '@parley/engine'
import type { ConversationConfig } from '../agents/conversation-config.ts'

type EngineTurnHost = Parameters<typeof runAgentTurn>[1]

export interface TurnRun {
  readonly model: ModelPort
  readonly tools: ToolRegistry
  readonly system: string
  readonly conversation: NonNullable<ModelRequest['conversation']>
  readonly past: readonly LlmMessage[]
  readonly prompt: ConversationConfig['agent']['prompt']
  readonly signal: AbortSignal
  readonly say: (text: string) => void
  /** Called for each step and each tool result. */
  readonly onMessage: (message: LlmMessage) => void
  /** Checked after each tool: true ends the turn. */
  readonly isOver: () => boolean
}

/** Runs one engine turn in memory. Returns the error, if it failed. */
export async function runTurn({
  model,
  tools,
  system,
  past,
  ...run
}: TurnRun): Promise<TurnError | undefined> {
  const turn = {
    id: `trn_${createIdSuffix()}` as TurnId,
    number: 1,
    system,
    past,
    transcript: [],
    steps: 0,
    usage: { inputTokens: 0, outputTokens: 0 },
  }
  const outputs = runAgentTurn(turn, createTurnHost(model, tools, run))
  for await (const output of outputs) {
    if (output.type === 'turn:message' && output.message.role !== 'system') run.onMessage(output.message)
    if (output.type === 'agent:tool_result' && run.isOver()) return undefined
    if (output.type === 'session:turn_completed') return output.error
  }
  return undefined
}

const LIMITS: EngineTurnHost['limits'] = {
  maxTurns: Infinity,
  maxToolTurns: 25,
  maxMessages: 200,
  autoCompact: true,
  compactThreshold: 0.8,
  onExceed: 'fail',
}

/** Default limit of an answer. */
const DEFAULT_MAX_TOKENS = 4_096

function createTurnHost(
  model: ModelPort,
  tools: ToolRegistry,
  { prompt, conversation, signal, say }: Pick<TurnRun, 'prompt' | 'conversation' | 'signal' | 'say'>,
): EngineTurnHost {
  const { temperature, max_tokens: maxTokens, reasoning_effort: effort } = prompt
  return {
    models: [model],
    tools,
    limits: LIMITS,
    conversation,
    maxTokens: maxTokens > 0 ? maxTokens : DEFAULT_MAX_TOKENS,
    ...(temperature !== null && { temperature }),
    ...((effort === 'low' || effort === 'medium' || effort === 'high') && { reasoningEffort: effort }),
    costs: () => ({}),
    grants: () => [],
    toMediaHandle: (bytes) => createMediaHandle(createHash('sha256').update(bytes).digest('hex')),
    signal,
    streamText: (_, part, text) => {
      part.text += text
      if (part.type === 'text') say(text)
      return undefined
    },
    nextStepId: () => `stp_${createIdSuffix()}` as StepId,
  }
}

/** Ids used only during the turn. */
const createIdSuffix = (): string => crypto.randomUUID().replaceAll('-', '')

/** Added to the system prompt of spoken conversations. */
export const SPOKEN_MANNER =
  'This is a spoken conversation: answer in short, plain sentences, without Markdown or lists.'

/** Context from the client that needs no answer. */
export interface ContextUpdates {
  /** An update with the same id replaces the earlier one. */
  readonly add: (text: string, id: string | undefined) => void
  addTo(system: string): string
}

/** Older updates are dropped. */
const MAX_CHARACTERS = 50_000

export function createContextUpdates(): ContextUpdates {
  let updates: readonly { readonly text: string; readonly id: string | undefined }[] = []
  return {
    add(text, id) {
      const others = updates.filter((update) => id === undefined || update.id !== id)
      const all = [...others, { text, id }]
      updates = all.slice(-countFittingUpdates(all))
    },
    addTo: (system) =>
      updates.length === 0
        ? system
        : [system, UPDATES_HEADING, ...updates.map(({ text }) => `- ${text}`)].join('\n'),
  }
}

/** Number of latest updates that fit. */
function countFittingUpdates(updates: readonly { readonly text: string }[]): number {
  let room = MAX_CHARACTERS
  const past = updates.toReversed().findIndex(({ text }) => (room -= text.length) < 0)
  return past === -1 ? updates.length : Math.max(1, past)
}
