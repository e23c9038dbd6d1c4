/** Typed API calls for browsers and Node, and transcripts built from session events. */
export { type ApiClient, createApiClient, type SpeakWith } from './create-api-client.ts'
export { readGenerations, readWholeLedger } from './read-ledger.ts'
export type { ConnectionState } from './read-session-events.ts'
export type { PageOf, ReflectionsClient, SourceToAdd } from './reflections/reflections-client.ts'
export { waitForPatch } from './wait-for-patch.ts'
export { applyEvent } from './transcript/apply-event.ts'
export {
  type AnswerPart,
  type Transcript,
  type TranscriptTurn,
  type WaitingCall,
  openTranscript,
  addEarlierMessages,
} from './transcript/transcript.ts'
export { listTurns } from './transcript/list-turns.ts'
