/** Offline speech recognition and synthesis, behind the ports of `@parley/speech`. Start reading at open-speech.ts. */
export { openSpeech, type LocalSpeech, type SpeechOptions } from './open-speech.ts'
