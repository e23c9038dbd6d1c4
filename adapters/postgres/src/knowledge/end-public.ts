import type { ReflectionId, SessionId } from '@parley/contracts'
import type { TakenBack } from '@parley/knowledge'
import type { Run } from '../queries.ts'

/**
 * Ends what was made from more than the public may still be told, while the reflection is locked. To be followed by a
 * rebuild.
 */
export async function endPublic(within: Run, reflectionId: ReflectionId): Promise<TakenBack> {
  await within(TAKE_BACK, [reflectionId])
  const ended = await within<EndedRow>(END_PUBLIC_SESSIONS, [reflectionId])
  return { ended: ended.map(({ session_id: sessionId }) => sessionId) }
}

interface EndedRow {
  readonly session_id: SessionId
}

const IS_CALLING = `(channel = 'voice' and status = 'active' and transcript = 'pending')`

// What such a session was told is frozen into it. One that is typed is ours to end, whatever its link is for, so
// it ends. A call is the provider's: it is told to end, and does not go on in writing. A
// session that is just being opened waits for the lock of its reflection, and then finds that the revision has changed.
const END_PUBLIC_SESSIONS = {
  name: 'end_public_sessions',
  text: `with ended as (
      update reflection_sessions set status = 'ended', failure = 'unpublished', ended_at = now()
      where reflection_id = $1 and session_audience = 'public' and status in ('starting', 'active') and not ${IS_CALLING}
      returning session_id
    ), narrowed as (
      update reflection_sessions set is_outdated = true
      where reflection_id = $1 and session_audience = 'public' and ${IS_CALLING}
    ), closed as (
      delete from public_scopes p using ended where p.session_id = ended.session_id
    )
    select session_id from ended`,
}

// What the public's agents were made from counts no more, and they must not hold what was taken back.
const TAKE_BACK = {
  name: 'take_back_from_public',
  text: `update runtime_syncs set state = null, taken_back = taken_back + 1
    where reflection_id = $1 and surface in ('public', 'public_part')`,
}

// What the public's agents were made from counts no more.
export const MARK_STALE = {
  name: 'mark_public_stale',
  text: `update runtime_syncs set state = null
    where reflection_id = $1 and surface in ('public', 'public_part')`,
}
