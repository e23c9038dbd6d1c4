/** The HTTP API and the console, as one program to start. */
export { type RunningApi, startApi } from './start-api.ts'
export type { JwtIssuer } from './auth/jwt-verifier.ts'
export type { VoiceSettings } from './reflections/voice-settings.ts'
