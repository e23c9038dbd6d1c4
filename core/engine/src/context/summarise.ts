import type { TurnError, Usage } from '@parley/contracts'
import { tokensOfMessages, tokensOfText } from '../budget/estimate-tokens.ts'
import type { LlmMessage, ContentPart, ModelPort, ModelRequest } from '../ports/model.ts'

const MAX_TOKENS = 2_000

const INSTRUCTION = `Summarise the conversation below for the assistant, who will go on with it and see nothing else of it. \
Keep decisions, facts, names, numbers, file paths, open questions and what was promised; leave out courtesies. \
Write plain sentences in the language of the conversation, at most 400 words.`

export type Summary =
  | { readonly kind: 'ok'; readonly text: string; readonly usage: Usage }
  | { readonly kind: 'failed'; readonly error: TurnError }

/** The request that asks for a summary of these messages, within the model's window. */
export function summaryRequest(
  messages: readonly LlmMessage[],
  earlier: string | undefined,
  { contextWindow }: Pick<ModelPort, 'contextWindow'>,
): ModelRequest {
  const told = messages.map(toldOf).filter((line) => line !== '')
  const start = earlier === undefined ? [] : [`Summary of what came before:\n${earlier}`]
  const room = (contextWindow ?? Infinity) - MAX_TOKENS - tokensOfText(INSTRUCTION) - 1_000
  while (told.length > 1 && tokensOfText([...start, ...told].join('\n\n')) > room) told.shift()
  const text = [INSTRUCTION, ...start, ...told].join('\n\n')
  return {
    system: 'You summarise conversations.',
    messages: [{ role: 'user', content: [{ type: 'text', text }] }],
    tools: [],
    maxTokens: MAX_TOKENS,
  }
}

export async function summarise(
  model: ModelPort,
  request: ModelRequest,
  signal: AbortSignal,
): Promise<Summary> {
  let text = ''
  let usage: Usage | undefined
  for await (const event of model.stream(request, signal)) {
    if (event.type === 'text') text += event.text
    else if (event.type === 'finish') usage = event.usage
    else if (event.type === 'failure') return { kind: 'failed', error: event.error }
  }
  if (text.trim() === '') return { kind: 'failed', error: NO_SUMMARY }
  const estimate = { inputTokens: tokensOfMessages(request.messages), outputTokens: tokensOfText(text) }
  return { kind: 'ok', text: text.trim(), usage: usage ?? estimate }
}

const NO_SUMMARY: TurnError = {
  code: 'provider_unavailable',
  message: 'The model gave no summary.',
  retryable: true,
}

const LONGEST_RESULT = 2_000

const SPEAKERS = { user: 'Person', assistant: 'Assistant', tool: 'Tool', system: 'Note' } as const

function toldOf({ role, content, isNote }: LlmMessage): string {
  const text = content
    .map(toldPart)
    .filter((part) => part !== '')
    .join('\n')
  return text === '' ? '' : `${SPEAKERS[isNote ? 'system' : role]}: ${text}`
}

function toldPart(part: ContentPart): string {
  if (part.type === 'text') return part.text
  if (part.type === 'tool_call') return `(calls ${part.call.name} with ${JSON.stringify(part.call.input)})`
  if (part.type === 'tool_result') return part.outcome.text.slice(0, LONGEST_RESULT)
  return part.type === 'media' ? `(${part.mediaType} ${part.name ?? ''})` : ''
}
