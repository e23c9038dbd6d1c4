import { setTimeout as delay } from 'node:timers/promises'
import {
  SOUND_FORMATS,
  type Sentence,
  type Sound,
  type SoundFormat,
  type SpokenStyle,
  type Synthesiser,
  encodeSound,
} from '@parley/speech'
import type { CallAudio } from './call-audio.ts'

/** Says sentences one after another, no faster than they can be listened to. */
export interface Speaker {
  /** `place` is told when the sentence sounds, just before its first sound is sent. */
  speak(sentence: Sentence, place: (piece: SpokenPiece) => void): void
  /** Until all has sounded, or is no longer to. */
  played(signal: AbortSignal): Promise<void>
  /** Until all was sent, or is no longer to be. */
  sent(): Promise<void>
  /** Something is still to be heard. */
  isBusy(): boolean
  /** When all that was sent so far will have sounded. */
  endsAt(): number
  /** Nothing more of what was to be said is said. */
  silence(): void
}

export interface SpeakerHost {
  readonly synthesiser: Synthesiser
  readonly style: SpokenStyle
  readonly format: SoundFormat
  readonly audio: CallAudio
  readonly now: () => number
  readonly send: (bytes: Uint8Array) => void
  /** Told before an answer begins to sound; false where it must not. */
  readonly mayBegin: () => boolean
  readonly onFailure: (thrown: unknown) => void
}

/** How much sound is sent at once, and how far ahead of what is heard. */
const PIECE_MS = 200
const AHEAD_MS = 3_000

interface Job {
  readonly sentence: Sentence
  readonly place: (piece: SpokenPiece) => void
  sound?: Promise<Sound | undefined>
}

export function createSpeaker(host: SpeakerHost): Speaker {
  const { now } = host
  let jobs: Job[] = []
  let speaking: Promise<void> | undefined
  let silenced = new AbortController()
  let endsAt = 0

  const soundOf = (job: Job | undefined, signal: AbortSignal): Promise<Sound | undefined> | undefined => {
    if (!job) return undefined
    return (job.sound ??= synthesise(job.sentence, host, signal))
  }

  const run = async (signal: AbortSignal): Promise<void> => {
    for (let job = jobs[0]; job && !signal.aborted; job = jobs[0]) {
      const sound = soundOf(job, signal)
      // The next sentence is made while this one is sent.
      void soundOf(jobs[1], signal)
      await say(job, await sound, signal)
      if (!signal.aborted) jobs.shift()
    }
  }

  const say = async (
    { sentence, place }: Job,
    sound: Sound | undefined,
    signal: AbortSignal,
  ): Promise<void> => {
    if (signal.aborted) return
    if (endsAt <= now() && !host.mayBegin()) return
    const startsAt = Math.max(now(), endsAt)
    const milliseconds = sound ? (sound.samples.length / sound.sampleRate) * 1_000 : 0
    place({ written: sentence.written, startsAt, endsAt: startsAt + milliseconds })
    if (!sound || milliseconds === 0) return
    host.audio.spoken(sound.samples, sound.sampleRate, startsAt)
    const bytes = encodeSound(sound, host.format)
    const pieceBytes = bytesOf(host.format, PIECE_MS)
    for (let at = 0; at < bytes.length; at += pieceBytes) {
      const piece = bytes.subarray(at, at + pieceBytes)
      const isPaced = await untilNear(Math.max(endsAt, now()), signal)
      if (!isPaced) return
      host.send(piece)
      endsAt = Math.max(endsAt, now()) + (piece.length / pieceBytes) * PIECE_MS
    }
  }

  const untilNear = async (end: number, signal: AbortSignal): Promise<boolean> => {
    await wait(end - AHEAD_MS - now(), signal)
    return !signal.aborted
  }

  const isBusy = () => jobs.length > 0 || endsAt > now()

  return {
    speak(sentence, place) {
      jobs.push({ sentence, place })
      const { signal } = silenced
      speaking ??= run(signal)
        .catch(host.onFailure)
        .finally(() => {
          if (silenced.signal === signal) speaking = undefined
        })
    },
    async played(signal) {
      const given = AbortSignal.any([signal, silenced.signal])
      while (!given.aborted && isBusy())
        await Promise.race([speaking ?? wait(endsAt - now(), given), aborted(given)])
    },
    sent: async () => speaking && Promise.race([speaking, aborted(silenced.signal)]),
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

const bytesOf = (format: SoundFormat, milliseconds: number): number => {
  const { encoding, sampleRate } = SOUND_FORMATS[format]
  return Math.round((sampleRate * milliseconds) / 1_000) * (encoding === 'pcm' ? 2 : 1)
}

async function synthesise(
  { spoken }: Sentence,
  { synthesiser, style, onFailure }: SpeakerHost,
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

/** Ends early, and quietly, where it is given up. */
async function wait(milliseconds: number, signal: AbortSignal): Promise<void> {
  if (milliseconds > 0 && !signal.aborted)
    await delay(milliseconds, undefined, { signal }).catch(() => undefined)
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })

/** A sentence, with when it sounds at the client's, as far as that can be known from here. */
export interface SpokenPiece {
  /** As it stands in the answer: all pieces together are its text. */
  readonly written: string
  readonly startsAt: number
  readonly endsAt: number
}

/** What of an answer was heard by now: whole sentences, and of the one that sounds as many words as its time allows. */
export const heardBy = (pieces: readonly SpokenPiece[], now: number): string =>
  pieces
    .map((piece) => heardOf(piece, now))
    .join('')
    .trimEnd()

function heardOf({ written, startsAt, endsAt }: SpokenPiece, now: number): string {
  if (now >= endsAt) return written
  if (now <= startsAt) return ''
  const reached = written.slice(0, Math.floor(((now - startsAt) / (endsAt - startsAt)) * written.length))
  // A word that was begun was not heard.
  return /\S/.test(written.charAt(reached.length)) ? reached.replace(/\S+$/, '') : reached
}
