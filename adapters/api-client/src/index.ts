/** The API as typed calls, for browsers and Node alike, and the transcript that its events add up to. */
export { type ApiClient, createApiClient } from './create-api-client.ts'
export type { ConnectionState } from './read-session-events.ts'
export type { PageOf, ReflectionsClient, SourceToAdd } from './reflections-client.ts'
export { untilPatch } from './until-patch.ts'
export { applyEvent } from './transcript/apply-event.ts'
export { openTranscript, type Transcript, withEarlier } from './transcript/transcript.ts'
export type { AnswerPart, TranscriptTurn, WaitingCall } from './transcript/transcript-turn.ts'
export { turnsOf } from './transcript/turns-of.ts'
