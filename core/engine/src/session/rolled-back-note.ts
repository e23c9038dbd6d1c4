import {
  type DurableContentPart,
  type SessionMessage,
  type TurnEvent,
  fence,
  readMediaHash,
  removeFence,
} from '@parley/contracts'
import { readStoredEvents } from '../events/stored-event.ts'
import type { SessionStore } from '../ports/session-store.ts'
import { maskValue } from '../tools/mask-secrets.ts'
import type { LogicalTurn } from './reconstruct-session-state.ts'

/** How a turn ended; undefined if no end is stored. */
type TurnEnd =
  | Pick<Extract<TurnEvent, { type: 'session:turn_completed' }>, 'stopReason' | 'error'>
  | undefined

export interface NoteHost {
  readonly store: Pick<SessionStore, 'findOpeningEventNumber' | 'readEvents' | 'toMediaHandle'>
  readonly mask?: (text: string) => string
}

/**
 * The note that replaces a turn without an answer for the model: the question, the tool calls with their outcomes, and
 * why the turn ended. It is a system message in the position of the turn's question.
 */
export async function createRolledBackNote(
  { messages }: LogicalTurn,
  host: NoteHost,
): Promise<SessionMessage | undefined> {
  const [question] = messages
  if (!question) return undefined
  const { id, sessionId, sequenceNumber, timestamp } = question
  const end = await readEnd(question, host.store)
  const mask = host.mask ?? ((text: string) => text)
  const record = [
    ...formatQuestion(messages, mask),
    ...formatLastAnswer(messages, mask),
    ...formatCalls(messages, mask),
  ]
  if (end?.error) record.push(`Error: ${quote(mask(end.error.message))}`)
  const reason = REASONS[end?.error?.code ?? end?.stopReason ?? ''] ?? 'It failed.'
  const hash = (text: string) => hashText(text, host.store)
  const text = `[Note from Parley, not from the person] The turn at this point has no answer. ${end ? reason : NO_END} This is the record of it:\n${fence(record.join('\n'), 'a turn without an answer', hash)}`
  return {
    id,
    sessionId,
    sequenceNumber,
    role: 'system',
    content: [{ type: 'text', text }],
    marker: { kind: 'rolled_back' },
    timestamp,
  }
}

const NO_END = 'Its end was not stored.'

const PROVIDER_FAILED = 'The model provider failed.'

/** By error code or stop reason. */
const REASONS: Readonly<Record<string, string>> = {
  cancelled: 'The person cancelled it.',
  turn_limit: 'It reached a limit.',
  budget_exceeded: 'It would have exceeded the budget.',
  provider_auth: PROVIDER_FAILED,
  provider_rate_limit: PROVIDER_FAILED,
  provider_unavailable: PROVIDER_FAILED,
  internal: 'It was interrupted: the process that ran it ended or failed.',
}

/** A resumed turn has several ends; the last one counts. */
async function readEnd(
  { sessionId, sequenceNumber: question }: SessionMessage,
  store: NoteHost['store'],
): Promise<TurnEnd> {
  let end: TurnEnd
  let isWithin = false
  const opening = await store.findOpeningEventNumber(sessionId, question)
  for await (const { body, messageRef } of readStoredEvents(store, sessionId, Math.max(0, opening - 1))) {
    if (body.type === 'session:turn_started') {
      if (isWithin && messageRef?.message !== question) return end
      isWithin = messageRef?.message === question
    } else if (isWithin && body.type === 'session:turn_completed') end = body as unknown as TurnEnd
  }
  return end
}

type Mask = (text: string) => string
type Messages = readonly SessionMessage[]

const MAX_QUESTION_LENGTH = 1_000
/** People often ask about a cancelled answer next. */
const MAX_ANSWER_LENGTH = 4_000
/** The limit for a call's input, and for its outcome. */
const MAX_CALL_LENGTH = 160
const FIRST_CALLS = 5
const LAST_CALLS = 15

const joinTexts = (messages: Messages): string =>
  messages
    .flatMap(({ content }) => content.map(formatPart))
    .filter((text) => text !== '')
    .join('\n')

const formatPart = (part: DurableContentPart): string => {
  if (part.type === 'media') return `(${part.name ?? part.mediaType})`
  return part.type === 'text' ? part.text : ''
}

const formatQuestion = (messages: Messages, mask: Mask): readonly string[] => [
  `The person asked: ${quote(mask(joinTexts(messages.filter(({ role }) => role === 'user'))), MAX_QUESTION_LENGTH)}`,
]

/** The last text, which may be incomplete. */
function formatLastAnswer(messages: Messages, mask: Mask): readonly string[] {
  const said = mask(
    joinTexts(messages.filter(({ role, content }) => role === 'assistant' && hasText(content)).slice(-1)),
  )
  return said === '' ? [] : [`The assistant said last: ${quote(said, MAX_ANSWER_LENGTH)}`]
}

const hasText = (content: readonly DurableContentPart[]): boolean =>
  content.some((part) => part.type === 'text' && part.text !== '')

/** The first and last calls, and the number between them. */
function formatCalls(messages: Messages, mask: Mask): readonly string[] {
  const calls = listCalls(messages)
  if (calls.length === 0) return ['No tool was called.']
  const omitted = calls.slice(FIRST_CALLS, -LAST_CALLS)
  const lines = calls.map((call) => `- ${formatCall(call, mask)}`)
  return [
    `${calls.length === 1 ? '1 tool call' : `${calls.length} tool calls`}:`,
    ...(omitted.length === 0
      ? lines
      : [
          ...lines.slice(0, FIRST_CALLS),
          `- (${omitted.length} more: ${formatCountsByName(omitted, mask)})`,
          ...lines.slice(-LAST_CALLS),
        ]),
  ]
}

type CallPart = Extract<DurableContentPart, { type: 'tool_call' }>
type ResultPart = Extract<DurableContentPart, { type: 'tool_result' }>

interface RecordedCall {
  readonly call: CallPart['call']
  outcome?: ResultPart['outcome']
}

/** Some providers reuse an id for several calls: a result belongs to the first call without one. */
function listCalls(messages: Messages): readonly RecordedCall[] {
  const calls: RecordedCall[] = []
  const open = new Map<string, RecordedCall[]>()
  for (const part of messages.flatMap(({ content }) => content)) {
    if (part.type === 'tool_call') {
      const recorded: RecordedCall = { call: part.call }
      calls.push(recorded)
      open.set(part.call.id, [...(open.get(part.call.id) ?? []), recorded])
    } else if (part.type === 'tool_result') {
      const recorded = open.get(part.callId)?.shift()
      if (recorded) recorded.outcome = part.outcome
    }
  }
  return calls
}

function formatCall({ call: original, outcome }: RecordedCall, mask: Mask): string {
  const call = maskValue(original, mask)
  const request = shorten(`${formatToolName(call)} ${JSON.stringify(call.input)}`, MAX_CALL_LENGTH)
  if (!outcome) return `${request} -> no result is stored: it may have run`
  const result = outcome.kind === 'ok' ? 'ok' : `failed (${outcome.code})`
  return `${request} -> ${result}: ${quote(mask(removeFence(outcome.text)), MAX_CALL_LENGTH)}`
}

function formatCountsByName(calls: readonly RecordedCall[], mask: Mask): string {
  const counts = new Map<string, number>()
  for (const { call } of calls) counts.set(formatToolName(call), (counts.get(formatToolName(call)) ?? 0) + 1)
  return shorten(mask([...counts].map(([name, count]) => `${count} of ${name}`).join(', ')), MAX_CALL_LENGTH)
}

/** A model may invent any tool name. */
const formatToolName = ({ name }: RecordedCall['call']): string =>
  /^[\w.-]+$/.test(name) ? name : quote(name)

/** On one line. */
const quote = (text: string, longest = MAX_CALL_LENGTH): string => JSON.stringify(shorten(text, longest))

const shorten = (text: string, longest: number): string =>
  text.length <= longest ? text : `${text.slice(0, longest).toWellFormed()}…`

/** The engine cannot hash, but a media handle contains the hash of its bytes. */
const hashText = (text: string, store: Pick<SessionStore, 'toMediaHandle'>): string =>
  readMediaHash(store.toMediaHandle(toCodeUnitBytes(text)))

const toCodeUnitBytes = (text: string): Uint8Array => {
  const bytes = new Uint8Array(text.length * 2)
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at)
    bytes[at * 2] = unit >> 8
    bytes[at * 2 + 1] = unit & 0xff
  }
  return bytes
}
