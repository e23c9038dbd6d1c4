import type { SessionMessage } from '@parley/contracts'
import { reconstructSessionState } from '@parley/engine'

type Turn = ReturnType<typeof reconstructSessionState>[number]

/** The turns of a transcript, each with the markers that were set in it or after it. */
export function withMarkers(messages: readonly SessionMessage[]): readonly Turn[] {
  const turns = reconstructSessionState(messages)
  const markers = messages.filter(({ marker }) => marker !== undefined)
  if (markers.length === 0) return turns
  return turns.map((turn, index) => {
    const next = turns[index + 1]
    const own = markers.filter(
      ({ sequenceNumber }) => sequenceNumber > firstOf(turn) && (!next || sequenceNumber < firstOf(next)),
    )
    if (own.length === 0) return turn
    const all = [...turn.messages, ...own].toSorted((a, b) => a.sequenceNumber - b.sequenceNumber)
    return { ...turn, messages: all }
  })
}

const firstOf = ({ messages }: Turn): number => messages[0]?.sequenceNumber ?? 0
