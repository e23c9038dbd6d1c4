import {
  SOUND_FORMATS,
  type Sentence,
  type Sound,
  type SoundFormat,
  type SpokenStyle,
  type Synthesiser,
  encodeSound,
} from '@parley/speech'
import { pauseUnlessAborted, waitUnlessAborted } from '../wait.ts'
import type { CallAudio } from './call-audio.ts'

/** Speaks sentences in order, at listening speed. */
export interface CallPlayback {
  /** Calls `onScheduled` with the playback time just before the first sound is sent. */
  speak(sentence: Sentence, onScheduled: (piece: SpokenPiece) => void): void
  /** Resolves when everything was played or cancelled. */
  played(signal: AbortSignal): Promise<void>
  /** Resolves when everything was sent or cancelled. */
  sent(): Promise<void>
  /** Whether sound is still playing or waiting. */
  isBusy(): boolean
  /** End of playback of everything sent so far. */
  endsAt(): number
  /** Cancels everything not played yet. */
  silence(): void
}

export interface CallPlaybackHost {
  readonly synthesiser: Synthesiser
  readonly style: SpokenStyle
  readonly format: SoundFormat
  readonly audio: CallAudio
  readonly now: () => number
  readonly send: (bytes: Uint8Array) => void
  /** Called before an answer starts to play. */
  readonly mayBegin: () => boolean
  readonly onFailure: (thrown: unknown) => void
}

/** Length of one audio event, and how far sending runs ahead of playback. */
const PIECE_MS = 200
const AHEAD_MS = 3_000

interface SpeechJob {
  readonly sentence: Sentence
  readonly onScheduled: (piece: SpokenPiece) => void
  sound?: Promise<Sound | undefined>
}

export function createCallPlayback(host: CallPlaybackHost): CallPlayback {
  const { now } = host
  let jobs: SpeechJob[] = []
  let speaking: Promise<void> | undefined
  let silenced = new AbortController()
  let endsAt = 0

  const getSound = (
    job: SpeechJob | undefined,
    signal: AbortSignal,
  ): Promise<Sound | undefined> | undefined => {
    if (!job) return undefined
    return (job.sound ??= synthesise(job.sentence, host, signal))
  }

  const run = async (signal: AbortSignal): Promise<void> => {
    for (let job = jobs[0]; job && !signal.aborted; job = jobs[0]) {
      const sound = getSound(job, signal)
      // Synthesise the next sentence while this one is sent.
      void getSound(jobs[1], signal)
      await say(job, await sound, signal)
      if (!signal.aborted) jobs.shift()
    }
  }

  const say = async (
    { sentence, onScheduled }: SpeechJob,
    sound: Sound | undefined,
    signal: AbortSignal,
  ): Promise<void> => {
    if (signal.aborted) return
    if (endsAt <= now() && !host.mayBegin()) return
    const startsAt = Math.max(now(), endsAt)
    const milliseconds = sound ? (sound.samples.length / sound.sampleRate) * 1_000 : 0
    onScheduled({ written: sentence.written, startsAt, endsAt: startsAt + milliseconds })
    if (!sound || milliseconds === 0) return
    host.audio.spoken(sound.samples, sound.sampleRate, startsAt)
    const bytes = encodeSound(sound, host.format)
    const pieceBytes = countBytes(host.format, PIECE_MS)
    for (let at = 0; at < bytes.length; at += pieceBytes) {
      const piece = bytes.subarray(at, at + pieceBytes)
      const isPaced = await waitUntilNear(Math.max(endsAt, now()), signal)
      if (!isPaced) return
      host.send(piece)
      endsAt = Math.max(endsAt, now()) + (piece.length / pieceBytes) * PIECE_MS
    }
  }

  const waitUntilNear = async (end: number, signal: AbortSignal): Promise<boolean> => {
    await pauseUnlessAborted(end - AHEAD_MS - now(), signal)
    return !signal.aborted
  }

  const isBusy = () => jobs.length > 0 || endsAt > now()

  return {
    speak(sentence, onScheduled) {
      jobs.push({ sentence, onScheduled })
      const { signal } = silenced
      speaking ??= run(signal)
        .catch(host.onFailure)
        .finally(() => {
          if (silenced.signal === signal) speaking = undefined
        })
    },
    async played(signal) {
      const cancelled = AbortSignal.any([signal, silenced.signal])
      while (!cancelled.aborted && isBusy())
        await (speaking
          ? waitUnlessAborted(speaking, cancelled)
          : pauseUnlessAborted(endsAt - now(), cancelled))
    },
    sent: async () => speaking && waitUnlessAborted(speaking, silenced.signal),
    isBusy,
    endsAt: () => endsAt,
    silence() {
      silenced.abort()
      silenced = new AbortController()
      speaking = undefined
      jobs = []
      host.audio.silence(now())
      endsAt = Math.min(endsAt, now())
    },
  }
}

const countBytes = (format: SoundFormat, milliseconds: number): number => {
  const { encoding, sampleRate } = SOUND_FORMATS[format]
  return Math.round((sampleRate * milliseconds) / 1_000) * (encoding === 'pcm' ? 2 : 1)
}

async function synthesise(
  { spoken }: Sentence,
  { synthesiser, style, onFailure }: CallPlaybackHost,
  signal: AbortSignal,
): Promise<Sound | undefined> {
  if (spoken === '') return undefined
  try {
    return await synthesiser.synthesise(spoken, style, signal)
  } catch (thrown) {
    if (!signal.aborted) onFailure(thrown)
    return undefined
  }
}

/** A sentence with its estimated playback time at the client. */
export interface SpokenPiece {
  /** The exact text; all pieces joined give the answer. */
  readonly written: string
  readonly startsAt: number
  readonly endsAt: number
}

/** The part of an answer heard by now: whole sentences, and whole words of the current one. */
export const getHeardText = (pieces: readonly SpokenPiece[], now: number): string =>
  pieces
    .map((piece) => getHeardPart(piece, now))
    .join('')
    .trimEnd()

function getHeardPart({ written, startsAt, endsAt }: SpokenPiece, now: number): string {
  if (now >= endsAt) return written
  if (now <= startsAt) return ''
  const reached = written.slice(0, Math.floor(((now - startsAt) / (endsAt - startsAt)) * written.length))
  // A partly played word counts as unheard.
  return /\S/.test(written.charAt(reached.length)) ? reached.replace(/\S+$/, '') : reached
}
