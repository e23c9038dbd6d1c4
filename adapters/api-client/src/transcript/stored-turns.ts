import type { SessionMessage } from '@parley/contracts'
import type { AnswerPart, TranscriptTurn } from './transcript.ts'

/** The turns in stored messages; the first has no question if the messages start within a turn. */
export function storedTurns(messages: readonly SessionMessage[]): readonly TranscriptTurn[] {
  const known = storedCache.get(messages)
  if (known) return known
  const turns = groupsOf(messages).map(sameTurnOf)
  storedCache.set(messages, turns)
  return turns
}

/** Cached by the message array, since every event asks for it. */
const storedCache = new WeakMap<readonly SessionMessage[], readonly TranscriptTurn[]>()

type Group = readonly [SessionMessage, ...SessionMessage[]]

function groupsOf(messages: readonly SessionMessage[]): readonly Group[] {
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

function sameTurnOf(group: Group): TranscriptTurn {
  const [first] = group
  const [count, last] = [group.length, group.at(-1)]
  const known = knownTurns.get(first)
  if (known?.count === count && known.last === last) return known.turn
  const turn = turnOf(group)
  knownTurns.set(first, { count, last, turn })
  return turn
}

function turnOf(group: Group): TranscriptTurn {
  const [first, ...rest] = group
  const asked = first.role === 'user'
  return {
    key: first.sequenceNumber,
    ...(asked && { question: first }),
    parts: partsOf(asked ? rest : group),
    state: stateOf(group),
  }
}

/** Leaves out failed steps of a continued turn. */
function partsOf(messages: readonly SessionMessage[]): readonly AnswerPart[] {
  const standing = messages.filter((message) => message.cutShort !== 'failed' || message === messages.at(-1))
  const parts: AnswerPart[] = []
  for (const part of standing.flatMap(({ content }) => content)) {
    if (part.type === 'text' || part.type === 'reasoning') parts.push({ kind: part.type, text: part.text })
    if (part.type === 'tool_call') parts.push({ kind: 'tool', call: part.call })
    if (part.type === 'tool_result') {
      const index = parts.findIndex(
        (known) => known.kind === 'tool' && known.call.id === part.callId && !known.outcome,
      )
      const asking = parts[index]
      if (asking?.kind === 'tool') parts[index] = { ...asking, outcome: part.outcome }
    }
  }
  return parts
}

function stateOf(group: Group): TranscriptTurn['state'] {
  const last = group.at(-1)
  if (last?.role !== 'assistant') return 'unanswered'
  if (last.cutShort) return last.cutShort === 'failed' ? 'error' : 'cancelled'
  const asksForTools = last.content.some(({ type }) => type === 'tool_call')
  return asksForTools ? 'unanswered' : 'completed'
}
