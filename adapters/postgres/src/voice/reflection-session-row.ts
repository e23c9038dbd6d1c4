import type { ReflectionSession } from '@parley/reflections'

export interface SessionRow {
  readonly session_id: ReflectionSession['sessionId']
  readonly reflection_id: ReflectionSession['reflectionId']
  readonly person_id: ReflectionSession['personId']
  readonly share_link_id: string | null
  readonly channel: ReflectionSession['channel']
  readonly mode: ReflectionSession['mode']
  readonly session_audience: ReflectionSession['sessionAudience']
  readonly surface: ReflectionSession['surface']
  readonly role: ReflectionSession['role']
  readonly ingestion: ReflectionSession['ingestion']
  readonly namespaces: readonly string[]
  readonly status: ReflectionSession['status']
  readonly failure: string | null
  readonly agent_id: string | null
  readonly provider_conversation_id: string | null
  readonly transcript: ReflectionSession['transcript']
  readonly is_outdated: boolean
  readonly is_narrowed: boolean
  readonly created_at: Date
}

export const toSession = (row: SessionRow): ReflectionSession => ({
  sessionId: row.session_id,
  reflectionId: row.reflection_id,
  personId: row.person_id,
  ...(row.share_link_id !== null && { shareLinkId: row.share_link_id }),
  channel: row.channel,
  mode: row.mode,
  sessionAudience: row.session_audience,
  surface: row.surface,
  role: row.role,
  ingestion: row.ingestion,
  namespaces: row.namespaces,
  status: row.status,
  ...(row.failure !== null && { failure: row.failure }),
  ...(row.agent_id !== null && { agentId: row.agent_id }),
  ...(row.provider_conversation_id !== null && { providerConversationId: row.provider_conversation_id }),
  transcript: row.transcript,
  ...(row.is_outdated && { isOutdated: true }),
  ...(row.is_narrowed && { isNarrowed: true }),
  createdAt: row.created_at.toISOString(),
})

export const COLUMNS = `s.session_id, s.reflection_id, s.person_id, s.share_link_id, s.channel, s.mode, s.session_audience, s.surface,
  s.role, s.ingestion, s.namespaces, s.status, s.failure, s.agent_id, s.provider_conversation_id, s.transcript,
  s.is_outdated, s.is_narrowed, s.created_at`
