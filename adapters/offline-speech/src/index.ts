/** Speech without any provider, behind the ports of `@parley/reflections`. Start reading at open-speech.ts. */
export { openSpeech, type LocalSpeech, type SpeechOptions } from './open-speech.ts'
