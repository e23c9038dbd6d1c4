import { applyEvent, openTranscript, type Transcript } from '@parley/api-client'
import type { SessionEvent } from '@parley/contracts'
import type { Speed } from './place-in-address.ts'

/** A session played again from its events. Nothing is asked of anybody: it is made of what was told. */
export interface Replay {
  /** The transcript once so many events were told. */
  at(count: number): Transcript
}

const BEGINNING = openTranscript({ lastSequence: 0, openTurn: undefined }, [])

/** So far from each other are the transcripts that are kept, to go back from: they share nearly all they hold. */
const KEPT_EVERY = 100

export function createReplay(events: readonly SessionEvent[]): Replay {
  const kept: Transcript[] = [BEGINNING]
  return {
    at(count) {
      const wanted = Math.min(Math.max(count, 0), events.length)
      const known = Math.min(Math.floor(wanted / KEPT_EVERY), kept.length - 1)
      let transcript = kept[known] ?? BEGINNING
      for (let played = known * KEPT_EVERY; played < wanted; played += 1) {
        const event = events[played]
        if (event) transcript = applyEvent(transcript, event)
        if ((played + 1) % KEPT_EVERY === 0) kept[(played + 1) / KEPT_EVERY] = transcript
      }
      return transcript
    },
  }
}

/** Nobody wants to wait through a night again. */
const LONGEST_PAUSE_MS = 3_000
/** Even at once it can be followed: as many frames, however many events there are. */
const FRAMES_AT_ONCE = 150
const FRAME_MS = 16

/** What comes after so many events: how many more, and after how long. */
export function nextBeat(
  events: readonly SessionEvent[],
  count: number,
  speed: Speed,
): { readonly count: number; readonly inMs: number } {
  if (speed === 'max') {
    return { count: count + Math.max(1, Math.ceil(events.length / FRAMES_AT_ONCE)), inMs: FRAME_MS }
  }
  const [last, next] = [events[count - 1], events[count]]
  const between = last && next ? Date.parse(next.timestamp) - Date.parse(last.timestamp) : 0
  return { count: count + 1, inMs: Math.min(Math.max(between, 0), LONGEST_PAUSE_MS) / Number(speed) }
}
