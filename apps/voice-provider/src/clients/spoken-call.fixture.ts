import { ElevenLabsClient } from '@elevenlabs/elevenlabs-js/Client.js'
import { Conversation } from '@elevenlabs/elevenlabs-js/api/resources/conversationalAi/conversation/index.js'
import { decodeSound, encodeSound, joinSamples, type Sound, type SoundFormat } from '@parley/speech'
import { API_KEY } from '../testing/test-voice.ts'
import { startMicrophone } from './microphone.fixture.ts'

/** A call with the vendor's Node class and a microphone that is always on. */
export async function openSpokenCall(
  voice: { readonly url: string },
  agentId: string,
  format: SoundFormat = 'pcm_16000',
) {
  const transcripts: string[] = []
  const responses: string[] = []
  const corrections: string[] = []
  const pieces: Buffer[] = []
  let interruptions = 0
  let onSound: (() => void) | undefined
  const input = Promise.withResolvers<(audio: Buffer) => void>()
  const conversation = new Conversation({
    client: new ElevenLabsClient({ apiKey: API_KEY, baseUrl: voice.url }),
    agentId,
    requiresAuth: true,
    audioInterface: {
      start: input.resolve,
      stop: () => undefined,
      output(audio) {
        pieces.push(audio)
        onSound?.()
      },
      interrupt: () => void (interruptions += 1),
    },
    callbackUserTranscript: (text) => transcripts.push(text),
    callbackAgentResponse: (text) => responses.push(text),
    callbackAgentResponseCorrection: (_, corrected) => corrections.push(corrected),
  })
  await conversation.startSession()
  const microphone = startMicrophone(await input.promise, format)
  return {
    transcripts,
    responses,
    corrections,
    interruptions: () => interruptions,
    id: () => conversation.getConversationId() ?? '',
    /** Speaks in real time; resolves when all was sent. */
    speak: (sound: Sound) => microphone.play(encodeSound(sound, format)),
    /** Resolves when the agent speaks next. */
    nextSound: () => new Promise<void>((resolve) => (onSound = resolve)),
    heard: (): Sound => {
      const sounds = pieces.map((piece) => decodeSound(piece, format))
      return {
        samples: joinSamples(sounds.map(({ samples }) => samples)),
        sampleRate: sounds[0]?.sampleRate ?? 16_000,
      }
    },
    end() {
      microphone.stop()
      conversation.endSession()
    },
  }
}
