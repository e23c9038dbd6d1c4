import type { CallId, DurableContentPart, Json } from '@parley/contracts'
import type { ProviderConversation, TranscriptEntry, TranscriptToolCall } from '../ports/voice-provider.ts'
import type { TranscriptMessage } from '../ports/transcript-store.ts'

/**
 * A call as the messages of a typed session: the words that were heard, and each tool call with its result. A turn's last
 * words come last, since they mark a complete turn.
 */
export function toTranscriptMessages(conversation: ProviderConversation): readonly TranscriptMessage[] {
  const began = Date.parse(conversation.startedAt)
  return splitTurns(conversation.entries).flatMap((turn) => {
    const messages = turn.flatMap((entry, index) => toEntryMessages(entry, index === turn.length - 1, began))
    const lastWord = messages.findLastIndex(isWord)
    const [word] = messages.splice(lastWord, lastWord < 0 ? 0 : 1)
    return word ? [...messages, word] : messages
  })
}

/** A turn begins when the person speaks; the first may be the agent's greeting. */
function splitTurns(entries: readonly TranscriptEntry[]): readonly (readonly TranscriptEntry[])[] {
  const turns: TranscriptEntry[][] = []
  for (const entry of entries) {
    const isQuestion = entry.role === 'person' && toTextParts(entry.text).length > 0
    if (isQuestion || turns.length === 0) turns.push([])
    turns.at(-1)?.push(entry)
  }
  return turns
}

const isWord = ({ role, content }: TranscriptMessage) =>
  role === 'assistant' && content.every(({ type }) => type === 'text')

function toEntryMessages(entry: TranscriptEntry, isLast: boolean, began: number): TranscriptMessage[] {
  const at = began + Math.max(0, entry.atSeconds) * 1_000
  const timestamp = new Date(at).toISOString()
  const said = toTextParts(entry.text)
  if (entry.role === 'person') return said.length === 0 ? [] : [{ role: 'user', content: said, timestamp }]
  const calls = entry.toolCalls.length === 0 ? [] : toToolMessages(entry.toolCalls, at)
  if (said.length === 0) return calls
  // Only the last answer of a turn is marked as cut short; the model sees the heard words of the others.
  const isCut = entry.isInterrupted && isLast
  return [
    ...calls,
    { role: 'assistant', content: said, timestamp, ...(isCut && { cutShort: 'cancelled' as const }) },
  ]
}

const toToolMessages = (calls: readonly TranscriptToolCall[], at: number): TranscriptMessage[] => [
  {
    role: 'assistant',
    content: calls.map(({ callId, name, input }) => ({
      type: 'tool_call',
      call: { id: toCallId(callId), name: removeUnstorable(name), input: parseToolInput(input) },
    })),
    timestamp: new Date(at).toISOString(),
  },
  ...calls.map(({ callId, result }): TranscriptMessage => ({
    role: 'tool',
    content: [{ type: 'tool_result', callId: toCallId(callId), outcome: toToolOutcome(result) }],
    timestamp: new Date(at + (result?.tookSeconds ?? 0) * 1_000).toISOString(),
  })),
]

const toCallId = (callId: string) => removeUnstorable(callId).slice(0, MAX_ID_LENGTH) as CallId
const MAX_ID_LENGTH = 256

function toToolOutcome(result: TranscriptToolCall['result']) {
  if (!result) return { kind: 'failed', code: 'tool_failed', text: 'The tool did not answer.' } as const
  const text = removeUnstorable(result.text)
  return result.isError
    ? ({ kind: 'failed', code: 'tool_failed', text } as const)
    : ({ kind: 'ok', text } as const)
}

function parseToolInput(input: string): Json {
  try {
    return JSON.parse(removeUnstorable(input)) as Json
  } catch {
    return removeUnstorable(input)
  }
}

const toTextParts = (text: string): DurableContentPart[] => {
  const words = removeUnstorable(text).trim()
  return words === '' ? [] : [{ type: 'text', text: words }]
}

/** Removes characters that stored text cannot hold. */
const removeUnstorable = (text: string): string => text.toWellFormed().replaceAll('\0', '')
