import type { Speech } from '@parley/speech'
import type { ConversationConfig } from '../agents/conversation-config.ts'
import type { CallAudio } from './call-audio.ts'
import { createListener, type Listener, type ListenerHost } from './listener.ts'
import type { ErrorType, ServerEvent } from './server-event.ts'
import { createSpeaker, type Speaker } from './speaker.ts'

/** Mouth and ear of a spoken conversation. */
export interface CallVoice {
  readonly speaker: Speaker
  readonly listener: Listener
}

export interface CallVoiceHost extends Pick<
  ListenerHost,
  'onSpeech' | 'onUtterance' | 'onNotUnderstood' | 'now'
> {
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
