/** The local voice provider: a server that speaks ElevenLabs' protocol. */
export { type RunningVoice, startVoice, type VoiceOptions } from './start-voice.ts'
