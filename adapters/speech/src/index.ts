/** Speech without any provider, behind the ports of `@parley/voice`. Start reading at open-speech.ts. */
export { openSpeech, type LocalSpeech, type SpeechOptions } from './open-speech.ts'
