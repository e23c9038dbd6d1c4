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
import { type CallPlayback, createCallPlayback } from './call-playback.ts'

/** Listens to the person: detects the start of speech and recognises the words. */
interface CallListener {
  /** Returns false if sound arrives much faster than real time. */
  hear(bytes: Uint8Array): boolean
  isPersonSpeaking(): boolean
  /** The person typed: ends the utterance in progress, which then interrupts no answer. */
  endUtterance(): void
  close(): void
}

/** Whether an utterance interrupts the current answer, or waits for its end because the person typed later. */
export type InterruptMode = 'interrupts' | 'waits'

interface CallListenerHost {
  readonly recogniser: Recogniser
  readonly hints: RecognitionHints
  readonly format: SoundFormat
  readonly audio: CallAudio
  readonly now: () => number
  readonly onSpeech: () => void
  readonly onUtterance: (text: string, mode: InterruptMode) => void
  /** Called when no words were recognised in a sound. */
  readonly onNotUnderstood: (milliseconds: number) => void
  readonly onFailure: (thrown: unknown) => void
}

/** How far sound may run ahead of real time, for clients that send recordings. */
const MAX_AHEAD_MS = 60_000
/** Queue of the recogniser; the oldest utterances are dropped. */
const MAX_WAITING = 4
/** After this time without sound the client counts as muted, and the utterance ends. */
const MUTED_MS = 1_000

export function createCallListener(host: CallListenerHost): CallListener {
  const { now, format, audio, recogniser } = host
  const resampler = createResampler(SOUND_FORMATS[format].sampleRate, CALL_RATE)
  const activity = createVoiceActivity(CALL_RATE)
  const closed = new AbortController()
  const startedAt = now()
  const waiting: { readonly sound: Sound; readonly typedMessages: number }[] = []
  let typedMessages = 0
  let heardMs = 0
  let isPersonSpeaking = false
  let recognising: Promise<void> | undefined
  let cancelMuted: (() => void) | undefined

  const recogniseAll = async (): Promise<void> => {
    for (let next = waiting.shift(); next && !closed.signal.aborted; next = waiting.shift()) {
      try {
        const text = await recogniser.recognise(next.sound, closed.signal, host.hints)
        if (closed.signal.aborted) return
        const mode = next.typedMessages === typedMessages ? 'interrupts' : 'waits'
        if (text.trim() === '') host.onNotUnderstood(getDurationMs(next.sound))
        else host.onUtterance(text.trim(), mode)
      } catch (thrown) {
        if (closed.signal.aborted) return
        host.onFailure(thrown)
        host.onNotUnderstood(getDurationMs(next.sound))
      }
    }
    recognising = undefined
  }

  const handleVoiceEvents = (events: readonly VoiceEvent[]) => {
    for (const event of events) {
      isPersonSpeaking = event.kind === 'speech-started' || event.end === 'cut'
      if (event.kind === 'speech-started') {
        host.onSpeech()
        continue
      }
      waiting.push({ sound: event.sound, typedMessages })
      if (waiting.length > MAX_WAITING) waiting.shift()
      recognising ??= recogniseAll()
    }
  }

  return {
    hear(bytes) {
      const { samples, sampleRate } = decodeSound(bytes, format)
      if (samples.length === 0) return true
      heardMs += (samples.length / sampleRate) * 1_000
      if (heardMs > now() - startedAt + MAX_AHEAD_MS) return false
      const heard = resampler.add(samples)
      audio.heard(heard, now())
      handleVoiceEvents(activity.add(heard))
      cancelMuted?.()
      if (isPersonSpeaking) cancelMuted = callAfterSilence(MUTED_MS, () => handleVoiceEvents(activity.end()))
      return true
    },
    isPersonSpeaking: () => isPersonSpeaking,
    endUtterance() {
      cancelMuted?.()
      handleVoiceEvents(activity.end())
      typedMessages += 1
    },
    close() {
      waiting.length = 0
      cancelMuted?.()
      closed.abort()
    },
  }
}

/**
 * Calls back after a time, unless cancelled. First handles pending input, which may cancel it: the process may have
 * been busy.
 */
function callAfterSilence(milliseconds: number, onSilence: () => void): () => void {
  let afterReading: NodeJS.Immediate | undefined
  const timer = setTimeout(() => {
    afterReading = setImmediate(onSilence)
  }, milliseconds)
  return () => {
    clearTimeout(timer)
    clearImmediate(afterReading)
  }
}

const getDurationMs = ({ samples, sampleRate }: Sound): number => (samples.length / sampleRate) * 1_000

/** Playback and listener of a spoken conversation. */
export interface CallVoice {
  readonly playback: CallPlayback
  readonly listener: CallListener
}

interface CallVoiceHost extends Pick<
  CallListenerHost,
  'onSpeech' | 'onUtterance' | 'onNotUnderstood' | 'now'
> {
  readonly speech: Speech
  readonly audio: CallAudio
  readonly send: (event: ServerEvent) => void
  readonly nextEventId: () => number
  readonly sendError: (type: ErrorType, message: string) => void
  /** Interrupts the agent if the person is speaking first. Returns false if that is not allowed. */
  readonly interrupt: () => boolean
}

/** With more hints the recogniser finds them everywhere. */
const MAX_HINTS = 100

/** Undefined for a text conversation. */
export function createCallVoice(
  { conversation, tts, asr }: ConversationConfig,
  host: CallVoiceHost,
): CallVoice | undefined {
  if (conversation.text_only) return undefined
  const { speech, audio, now, send, nextEventId, sendError } = host
  const listener = createCallListener({
    recogniser: speech.recogniser,
    hints: asr.keywords.slice(0, MAX_HINTS),
    format: asr.user_input_audio_format,
    audio,
    now,
    onSpeech() {
      send({ type: 'vad_score', vad_score_event: { vad_score: 1 } })
      host.onSpeech()
    },
    onUtterance(text, mode) {
      send({ type: 'vad_score', vad_score_event: { vad_score: 0 } })
      host.onUtterance(text, mode)
    },
    onNotUnderstood(milliseconds) {
      send({ type: 'vad_score', vad_score_event: { vad_score: 0 } })
      host.onNotUnderstood(milliseconds)
    },
    onFailure(thrown) {
      sendError('asr_transcription_error', `The speech could not be recognised: ${getErrorMessage(thrown)}`)
    },
  })
  const playback = createCallPlayback({
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
    mayBegin: () => !listener.isPersonSpeaking() || !host.interrupt(),
    onFailure: (thrown) =>
      sendError('tts_cascade_error', `The answer could not be spoken: ${getErrorMessage(thrown)}`),
  })
  return { playback, listener }
}

const getErrorMessage = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.message : String(thrown)
