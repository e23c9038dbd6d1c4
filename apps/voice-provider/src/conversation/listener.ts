import {
  createResampler,
  createVoiceActivity,
  decodeSound,
  type RecognitionHints,
  type Recogniser,
  type Sound,
  SOUND_FORMATS,
  type SoundFormat,
  type VoiceEvent,
} from '@parley/speech'
import type { CallAudio } from './call-audio.ts'
import { CALL_RATE } from './sound-track.ts'

/** Hears the person: when they begin to speak, and what they said. */
export interface Listener {
  /** False where sound comes so much faster than it can be spoken that it is no call. */
  hear(bytes: Uint8Array): boolean
  isSpoken(): boolean
  /** The person went on by keys: what was being said is all that is said, and cuts in on nothing that comes. */
  overtake(): void
  close(): void
}

/** What an utterance does to an answer: one that was overtaken waits until it was said. */
export type Manner = 'cuts-in' | 'waits'

export interface ListenerHost {
  readonly recogniser: Recogniser
  readonly hints: RecognitionHints
  readonly format: SoundFormat
  readonly audio: CallAudio
  readonly now: () => number
  readonly onSpeech: () => void
  readonly onUtterance: (text: string, manner: Manner) => void
  /** There was sound, but no words were recognised. */
  readonly onNotUnderstood: (milliseconds: number) => void
  readonly onFailure: (thrown: unknown) => void
}

/** A recording may be sent at once; this much of one. */
const MOST_AHEAD_MS = 60_000
/** Utterances that wait for the recogniser; of more, the oldest are given up. */
const MOST_WAITING = 4
/** A client that sends no more sound has been muted: what was being said is all that is said. */
const MUTED_MS = 1_000

export function createListener(host: ListenerHost): Listener {
  const { now, format, audio, recogniser } = host
  const resampler = createResampler(SOUND_FORMATS[format].sampleRate, CALL_RATE)
  const activity = createVoiceActivity(CALL_RATE)
  const closed = new AbortController()
  const startedAt = now()
  const waiting: { readonly sound: Sound; readonly overtakes: number }[] = []
  let overtakes = 0
  let heardMs = 0
  let isSpoken = false
  let recognising: Promise<void> | undefined
  let cancelMuted: (() => void) | undefined

  const recogniseAll = async (): Promise<void> => {
    for (let next = waiting.shift(); next && !closed.signal.aborted; next = waiting.shift()) {
      try {
        const text = await recogniser.recognise(next.sound, closed.signal, host.hints)
        if (closed.signal.aborted) return
        const manner = next.overtakes === overtakes ? 'cuts-in' : 'waits'
        if (text.trim() === '') host.onNotUnderstood(millisecondsOf(next.sound))
        else host.onUtterance(text.trim(), manner)
      } catch (thrown) {
        if (closed.signal.aborted) return
        host.onFailure(thrown)
        host.onNotUnderstood(millisecondsOf(next.sound))
      }
    }
    recognising = undefined
  }

  const take = (events: readonly VoiceEvent[]) => {
    for (const event of events) {
      isSpoken = event.kind === 'speech-started' || event.end === 'cut'
      if (event.kind === 'speech-started') {
        host.onSpeech()
        continue
      }
      waiting.push({ sound: event.sound, overtakes })
      if (waiting.length > MOST_WAITING) waiting.shift()
      recognising ??= recogniseAll()
    }
  }

  return {
    hear(bytes) {
      const { samples, sampleRate } = decodeSound(bytes, format)
      if (samples.length === 0) return true
      heardMs += (samples.length / sampleRate) * 1_000
      if (heardMs > now() - startedAt + MOST_AHEAD_MS) return false
      const heard = resampler.add(samples)
      audio.heard(heard, now())
      take(activity.hear(heard))
      cancelMuted?.()
      if (isSpoken) cancelMuted = whenSilent(MUTED_MS, () => take(activity.end()))
      return true
    },
    isSpoken: () => isSpoken,
    overtake() {
      cancelMuted?.()
      take(activity.end())
      overtakes += 1
    },
    close() {
      waiting.length = 0
      cancelMuted?.()
      closed.abort()
    },
  }
}

/**
 * Calls back after that time, unless it is cancelled. What arrived while this process was busy with something else is
 * read first, and may still cancel it.
 */
function whenSilent(milliseconds: number, onSilence: () => void): () => void {
  let afterReading: NodeJS.Immediate | undefined
  const timer = setTimeout(() => {
    afterReading = setImmediate(onSilence)
  }, milliseconds)
  return () => {
    clearTimeout(timer)
    clearImmediate(afterReading)
  }
}

const millisecondsOf = ({ samples, sampleRate }: Sound): number => (samples.length / sampleRate) * 1_000
