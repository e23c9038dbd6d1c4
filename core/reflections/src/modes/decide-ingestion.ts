import type { Audience, Role, SessionMode } from '@parley/contracts'
import { resolveAllowedActions } from './session-actions.ts'

export interface IngestionQuestion {
  readonly mode: SessionMode
  readonly role: Role
  readonly audience: Audience
  readonly offRecord: boolean
  /** The reflection's owner allows learning from shared sessions. */
  readonly shareIngestion: boolean
}

/** Whether the transcript of a session becomes a source, or why the session is refused. */
export type Ingestion =
  | 'ingest'
  | 'keep-only'
  | 'off-record'
  | { readonly refused: 'interview_requires_ingestion' }

export function decideIngestion({
  mode,
  role,
  audience,
  offRecord,
  shareIngestion,
}: IngestionQuestion): Ingestion {
  if (mode === 'interview') return offRecord ? { refused: 'interview_requires_ingestion' } : 'ingest'
  if (offRecord) return 'off-record'
  if (mode === 'share') return shareIngestion ? 'ingest' : 'keep-only'
  const mayAskForIt = resolveAllowedActions({ mode, role, audience }).includes('request-source-ingest')
  return mayAskForIt ? 'ingest' : 'keep-only'
}
