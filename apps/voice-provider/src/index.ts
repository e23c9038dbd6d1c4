/** The local voice provider: ElevenLabs' protocol on this machine, as one program to start. */
export { type RunningVoice, startVoice, type VoiceOptions } from './start-voice.ts'
