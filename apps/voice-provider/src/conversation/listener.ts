import {
  type Recogniser,
  type RecognitionHints,
  SOUND_FORMATS,
  type Sound,
  type SoundFormat,
  type Speech,
  type VoiceEvent,
  createResampler,
  createVoiceActivity,
  decodeSound,
} from '@parley/speech'
import type { ConversationConfig } from '../agents/conversation-config.ts'
import { CALL_RATE, type CallAudio } from './call-audio.ts'
import type { ErrorType, ServerEvent } from './server-event.ts'
import { type Speaker, createSpeaker } from './speaker.ts'

/** Hears the person: when they begin to speak, and what they said. */
interface Listener {
  /** False where sound comes so much faster than it can be spoken that it is no call. */
  hear(bytes: Uint8Array): boolean
  isSpoken(): boolean
  /** The person went on by keys: what was being said is all that is said, and cuts in on nothing that comes. */
  overtake(): void
  close(): void
}

/** What an utterance does to an answer: one that was overtaken waits until it was said. */
export type Manner = 'cuts-in' | 'waits'

interface ListenerHost {
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

/** Mouth and ear of a spoken conversation. */
interface CallVoice {
  readonly speaker: Speaker
  readonly listener: Listener
}

interface CallVoiceHost extends Pick<ListenerHost, 'onSpeech' | 'onUtterance' | 'onNotUnderstood' | 'now'> {
  readonly speech: Speech
  readonly audio: CallAudio
  readonly send: (event: ServerEvent) => void
  readonly nextEventId: () => number
  readonly tell: (type: ErrorType, message: string) => void
  /** The person speaks while the agent is about to; true where the agent gives way. */
  readonly giveWay: () => boolean
}

/** More would make the recogniser hear them everywhere. */
const MOST_HINTS = 100

/** Undefined where the conversation is a text one. */
export function createCallVoice(
  { conversation, tts, asr }: ConversationConfig,
  host: CallVoiceHost,
): CallVoice | undefined {
  if (conversation.text_only) return undefined
  const { speech, audio, now, send, nextEventId, tell } = host
  const listener = createListener({
    recogniser: speech.recogniser,
    hints: asr.keywords.slice(0, MOST_HINTS),
    format: asr.user_input_audio_format,
    audio,
    now,
    onSpeech() {
      send({ type: 'vad_score', vad_score_event: { vad_score: 1 } })
      host.onSpeech()
    },
    onUtterance(text, manner) {
      send({ type: 'vad_score', vad_score_event: { vad_score: 0 } })
      host.onUtterance(text, manner)
    },
    onNotUnderstood(milliseconds) {
      send({ type: 'vad_score', vad_score_event: { vad_score: 0 } })
      host.onNotUnderstood(milliseconds)
    },
    onFailure(thrown) {
      tell('asr_transcription_error', `What was said could not be understood: ${problemOf(thrown)}`)
    },
  })
  const speaker = createSpeaker({
    synthesiser: speech.synthesiser,
    style: { voiceId: tts.voice_id, speed: tts.speed },
    format: tts.agent_output_audio_format,
    audio,
    now,
    send: (bytes) =>
      send({
        type: 'audio',
        audio_event: { audio_base_64: Buffer.from(bytes).toString('base64'), event_id: nextEventId() },
      }),
    mayBegin: () => !listener.isSpoken() || !host.giveWay(),
    onFailure: (thrown) => tell('tts_cascade_error', `The answer could not be spoken: ${problemOf(thrown)}`),
  })
  return { speaker, listener }
}

const problemOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown))
