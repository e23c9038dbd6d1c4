import type {
  CallId,
  OpenTurn,
  Preview,
  SessionMessage,
  SessionView,
  StepId,
  StopReason,
  ToolCall,
  ToolGrant,
  ToolOutcome,
  TurnError,
  TurnId,
} from '@parley/contracts'

/** A reader's view of a session: fetched messages, and turns built from events. */
export interface Transcript {
  /** Consecutive messages. Earlier turns are not shown. */
  readonly messages: readonly SessionMessage[]
  readonly eventTurns: readonly EventTurn[]
  /** The sequence number of the last applied event. */
  readonly seen: number
  /** Events up to this number are past and do not change the open turn. */
  readonly openedAt: number
  readonly openTurn: OpenTurn | undefined
}

/**
 * The transcript of a session's last messages. Messages lack the text of an open turn and the reason for a missing answer; in those cases all events are read.
 */
export function openTranscript(
  { lastSequence, openTurn }: Pick<SessionView, 'lastSequence' | 'openTurn'>,
  messages: readonly SessionMessage[],
): Transcript {
  const seen = openTurn === undefined && toStoredTurns(messages).every(isAnswered) ? lastSequence : 0
  return { messages, eventTurns: [], seen, openedAt: lastSequence, openTurn }
}

/** A turn without text may have been continued and failed again. */
const isAnswered = ({ state, parts }: TranscriptTurn): boolean =>
  (state === 'completed' || state === 'cancelled') && parts.at(-1)?.kind === 'text'

/** Adds the messages right before the first known one. */
export function addEarlierMessages(transcript: Transcript, earlier: readonly SessionMessage[]): Transcript {
  const first = transcript.messages[0]?.sequenceNumber ?? Number.POSITIVE_INFINITY
  const added = earlier.filter(({ sequenceNumber }) => sequenceNumber < first)
  return { ...transcript, messages: [...added, ...transcript.messages] }
}

/** A turn built from events. */
export interface EventTurn {
  /** Its latest id; each continuation adds one. */
  readonly turnId: TurnId
  /** The sequence number of the event that started it under that id. */
  readonly startedAt: number
  /** The question, or the greeting of a call. */
  readonly opening: SessionMessage
  readonly parts: readonly EventPart[]
  readonly waitsFor?: WaitingCall
  readonly ending?: { readonly stopReason: StopReason; readonly error?: TurnError }
}

export type EventPart =
  | { readonly kind: 'text' | 'reasoning'; readonly stepId: StepId; readonly last: TextPiece }
  | Extract<AnswerPart, { kind: 'tool' }>

/** The text up to one event, as a chain, so a merged event can replace its end. */
export interface TextPiece {
  /** The first sequence number of the event. */
  readonly from: number
  readonly text: string
  readonly before: TextPiece | undefined
}

/** A question and what answers it, as it is shown; a continued turn is merged with its first part. */
export interface TranscriptTurn {
  /** The sequence number of its first message. */
  readonly key: number
  readonly question?: SessionMessage
  readonly parts: readonly AnswerPart[]
  /** `unanswered`: ended for an unknown reason. */
  readonly state: OpenTurn['state'] | 'unanswered' | StopReason
  readonly error?: TurnError
  /** The call that needs approval, if the turn waits. */
  readonly waitsFor?: WaitingCall
}

export type AnswerPart =
  | { readonly kind: 'text' | 'reasoning'; readonly text: string }
  | { readonly kind: 'tool'; readonly call: ToolCall; readonly outcome?: ToolOutcome }

export interface WaitingCall {
  readonly callId: CallId
  readonly tool: string
  /** The target of the call: a path, a host, a command. */
  readonly target: string
  readonly preview?: Preview | undefined
  /** The hash of the exact input; an answer that names it applies to nothing else. */
  readonly inputHash?: string | undefined
  /** The scope of "allow for this session"; absent if not allowed. */
  readonly grant?: ToolGrant | undefined
}

/** The turns in stored messages; the first has no question if the messages start within a turn. */
export function toStoredTurns(messages: readonly SessionMessage[]): readonly TranscriptTurn[] {
  const known = storedCache.get(messages)
  if (known) return known
  const turns = groupByTurn(messages).map(toCachedTurn)
  storedCache.set(messages, turns)
  return turns
}

/** Cached by the message array, since every event asks for it. */
const storedCache = new WeakMap<readonly SessionMessage[], readonly TranscriptTurn[]>()

type MessagesOfTurn = readonly [SessionMessage, ...SessionMessage[]]

function groupByTurn(messages: readonly SessionMessage[]): readonly MessagesOfTurn[] {
  const groups: [SessionMessage, ...SessionMessage[]][] = []
  for (const message of messages) {
    // Markers are for the model only.
    if (message.marker) continue
    const group = groups.at(-1)
    if (group && message.role !== 'user') group.push(message)
    else groups.push([message])
  }
  return groups
}

interface KnownTurn {
  readonly count: number
  readonly last: SessionMessage | undefined
  readonly turn: TranscriptTurn
}

/** By the first message. A turn stays the same object when earlier ones load, to avoid renders. */
const knownTurns = new WeakMap<SessionMessage, KnownTurn>()

function toCachedTurn(group: MessagesOfTurn): TranscriptTurn {
  const [first] = group
  const [count, last] = [group.length, group.at(-1)]
  const known = knownTurns.get(first)
  if (known?.count === count && known.last === last) return known.turn
  const turn = toTurn(group)
  knownTurns.set(first, { count, last, turn })
  return turn
}

function toTurn(group: MessagesOfTurn): TranscriptTurn {
  const [first, ...rest] = group
  const hasQuestion = first.role === 'user'
  return {
    key: first.sequenceNumber,
    ...(hasQuestion && { question: first }),
    parts: toParts(hasQuestion ? rest : group),
    state: getTurnState(group),
  }
}

/** Leaves out failed steps of a continued turn. */
function toParts(messages: readonly SessionMessage[]): readonly AnswerPart[] {
  const kept = messages.filter((message) => message.cutShort !== 'failed' || message === messages.at(-1))
  const parts: AnswerPart[] = []
  for (const part of kept.flatMap(({ content }) => content)) {
    if (part.type === 'text' || part.type === 'reasoning') parts.push({ kind: part.type, text: part.text })
    if (part.type === 'tool_call') parts.push({ kind: 'tool', call: part.call })
    if (part.type === 'tool_result') {
      const index = parts.findIndex(
        (known) => known.kind === 'tool' && known.call.id === part.callId && !known.outcome,
      )
      const call = parts[index]
      if (call?.kind === 'tool') parts[index] = { ...call, outcome: part.outcome }
    }
  }
  return parts
}

function getTurnState(group: MessagesOfTurn): TranscriptTurn['state'] {
  const last = group.at(-1)
  if (last?.role !== 'assistant') return 'unanswered'
  if (last.cutShort) return last.cutShort === 'failed' ? 'error' : 'cancelled'
  const callsTools = last.content.some(({ type }) => type === 'tool_call')
  return callsTools ? 'unanswered' : 'completed'
}
