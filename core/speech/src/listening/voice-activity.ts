import type { Sound } from '../ports/speech.ts'
import { joinSamples } from '../sound/resample.ts'

export type VoiceEvent =
  /** Someone began to speak; an utterance follows. */
  | { readonly kind: 'speech-started' }
  /** `cut`: the utterance reached the length limit; the speech continues in the next one. */
  | { readonly kind: 'utterance'; readonly sound: Sound; readonly end: 'pause' | 'cut' }

export interface VoiceActivityRules {
  /** A pause as long as this ends an utterance. */
  readonly pauseMs: number
  /** Shorter sounds are clicks or knocks, not speech. */
  readonly onsetMs: number
  /** Time kept before the onset, to keep the first syllable whole. */
  readonly preRollMs: number
  readonly maxUtteranceMs: number
}

/** Finds utterances in a stream of samples; the pieces may have any length. */
export interface VoiceActivity {
  add(samples: Int16Array): readonly VoiceEvent[]
  /** The stream paused: speech in progress becomes an utterance. */
  end(): readonly VoiceEvent[]
}

const DEFAULT_RULES: VoiceActivityRules = {
  pauseMs: 650,
  onsetMs: 100,
  preRollMs: 300,
  maxUtteranceMs: 30_000,
}

const FRAME_MS = 20
// Part of the pause kept after the speech, to keep the last sound whole.
const AFTER_MS = 200
// Decibels above the noise floor at which speech begins, and at which it continues.
const BEGIN_ABOVE = 14
const STAY_ABOVE = 9
// Quieter frames are never speech, even in a silent room.
const LEAST_LEVEL = -50

type State = { readonly kind: 'quiet' } | { readonly kind: 'speaking'; readonly pauseFrames: number }

const QUIET: State = { kind: 'quiet' }

export function createVoiceActivity(
  sampleRate: number,
  rules: Partial<VoiceActivityRules> = {},
): VoiceActivity {
  const { pauseMs, onsetMs, preRollMs, maxUtteranceMs } = { ...DEFAULT_RULES, ...rules }
  const frameLength = Math.round((sampleRate * FRAME_MS) / 1_000)
  const noise = createNoiseFloor(FRAME_MS)
  let state: State = QUIET
  let loudFrames = 0
  let rest: Int16Array = new Int16Array()
  let frames: Int16Array[] = []

  const endUtterance = (end: 'pause' | 'cut', pauseFrames: number): VoiceEvent => {
    const kept = frames.slice(0, frames.length - Math.max(0, pauseFrames - countFrames(AFTER_MS)))
    frames = end === 'cut' ? [] : frames.slice(-countFrames(preRollMs))
    return { kind: 'utterance', sound: { samples: joinSamples(kept), sampleRate }, end }
  }

  const addFrame = (frame: Int16Array): VoiceEvent | undefined => {
    const level = measureLevel(frame)
    const floor = noise.add(level)
    const aboveNoise = level < LEAST_LEVEL ? 0 : level - floor
    frames.push(frame)

    if (state.kind === 'quiet') {
      loudFrames = Math.max(0, loudFrames + (aboveNoise > BEGIN_ABOVE ? 1 : -1))
      if (loudFrames < countFrames(onsetMs)) {
        frames = frames.slice(-countFrames(preRollMs + onsetMs))
        return undefined
      }
      loudFrames = 0
      state = { kind: 'speaking', pauseFrames: 0 }
      return { kind: 'speech-started' }
    }

    const pauseFrames = aboveNoise > STAY_ABOVE ? 0 : state.pauseFrames + 1
    if (pauseFrames >= countFrames(pauseMs)) {
      state = QUIET
      return endUtterance('pause', pauseFrames)
    }
    state = { kind: 'speaking', pauseFrames }
    const isTooLong = pauseFrames === 0 && frames.length >= countFrames(maxUtteranceMs)
    return isTooLong ? endUtterance('cut', 0) : undefined
  }

  return {
    add(samples) {
      const heard = joinSamples([rest, samples])
      const whole = heard.length - (heard.length % frameLength)
      rest = heard.slice(whole)
      const events: VoiceEvent[] = []
      for (let at = 0; at < whole; at += frameLength) {
        const event = addFrame(heard.slice(at, at + frameLength))
        if (event) events.push(event)
      }
      return events
    },
    end() {
      if (state.kind === 'quiet') return []
      const { pauseFrames } = state
      state = QUIET
      return [endUtterance('pause', pauseFrames)]
    },
  }
}

const countFrames = (milliseconds: number) => Math.ceil(milliseconds / FRAME_MS)

/** Level in decibels of full scale. The mean is subtracted: a microphone's constant offset is not loudness. */
function measureLevel(frame: Int16Array): number {
  let sum = 0
  let squares = 0
  for (const sample of frame) {
    sum += sample
    squares += sample * sample
  }
  const mean = sum / frame.length
  const variance = Math.max(0, squares / frame.length - mean * mean)
  return 10 * Math.log10(variance / 32_768 ** 2 + 1e-10)
}

/** Tracks the loudness of the room while nobody speaks. */
interface NoiseFloor {
  /** Adds a frame's level and returns the current floor, both in decibels of full scale. */
  add(level: number): number
}

// Even continuous speech has a nearly silent moment within this time.
const BUCKETS = 10
const BUCKET_MS = 250
// Assumed before the first frames arrive, low enough to detect speech from the first sample on.
const INITIAL_LEVEL = -45
const LOWEST_FLOOR = -70

/** The floor is the quietest frame of the last seconds. */
function createNoiseFloor(frameMs: number): NoiseFloor {
  const quietest: number[] = Array.from({ length: BUCKETS }, () => INITIAL_LEVEL)
  const framesInBucket = Math.round(BUCKET_MS / frameMs)
  let frames = 0
  return {
    add(level) {
      if (frames % framesInBucket === 0) {
        quietest.shift()
        quietest.push(level)
      }
      frames += 1
      quietest[BUCKETS - 1] = Math.min(level, quietest[BUCKETS - 1] ?? level)
      return Math.max(LOWEST_FLOOR, Math.min(...quietest))
    },
  }
}
