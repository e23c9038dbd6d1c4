import type { ReflectionId, SessionId, SourceId } from '@parley/contracts'
import type { Run } from '../queries.ts'

/**
 * What a session runs on is frozen when it starts. Those that began while a promoted generation held this source go on no
 * more; the private ones that are being typed are given back, to be stopped. For when the source is about to go.
 */
export async function outdateSessions(
  within: Run,
  reflectionId: ReflectionId,
  sourceId: SourceId,
): Promise<readonly SessionId[]> {
  const outdated = await within<OutdatedRow>(OUTDATE_SESSIONS, [reflectionId, sourceId])
  return outdated.map(({ session_id: sessionId }) => sessionId)
}

interface OutdatedRow {
  readonly session_id: SessionId
}

// A start takes 12 s at most, and may have looked at what serves at its very end.
const OUTDATE_SESSIONS = {
  name: 'outdate_sessions_of_source',
  text: `with told as (
      select min(l.at) - interval '15 seconds' as since
      from artifact_ledger l join voice_artifacts a using (reflection_id, generation)
      where l.reflection_id = $1 and l.stage = 'promoted' and a.payload is not null and exists (
        select from json_array_elements(a.payload -> 'voice_evidence_pack' -> 'items') as item
        where item ->> 'sourceId' = $2
      )
    ), outdated as (
      update reflection_sessions s set is_outdated = true from told
      where s.reflection_id = $1 and s.created_at >= told.since
      returning s.session_id, s.channel, s.session_audience, s.status
    )
    select session_id from outdated
    where channel = 'text' and session_audience = 'private' and status in ('starting', 'active')`,
}
