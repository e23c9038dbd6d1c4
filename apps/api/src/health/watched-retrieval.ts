import type { Retrieved } from '@parley/contracts'
import type { HealthRecorder } from '@parley/postgres'
import type { Retrieve } from '../retrieve-for.ts'
import type { RetrieveForSession } from '../voice/retrieve-for-session.ts'

/** Searches, with how long they took noted; of those off the record, nothing. */
export function watchedRetrieval(health: Pick<HealthRecorder, 'time'>) {
  const timed = async (audience: string, search: () => Promise<Retrieved>): Promise<Retrieved> => {
    const began = performance.now()
    const found = await search()
    health.time('retrieval', found.partial ? `${audience} partial` : audience, performance.now() - began)
    return found
  }
  return {
    asked:
      (retrieve: Retrieve): Retrieve =>
      (reflection, asked, signal) =>
        timed(asked.audience, () => retrieve(reflection, asked, signal)),
    forSession:
      (retrieve: RetrieveForSession): RetrieveForSession =>
      (session, query, signal) =>
        session.ingestion === 'off-record'
          ? retrieve(session, query, signal)
          : timed(session.sessionAudience, () => retrieve(session, query, signal)),
  }
}
