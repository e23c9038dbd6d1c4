import type { SessionCosts, TurnId } from '@parley/contracts'
import type { SessionStore, StoredEvent } from '@parley/engine'
import type { HealthRecorder } from '@parley/postgres'

/** Counts the costs and errors that a store records. Off-record sessions never reach it. */
export function watchedStore(
  store: SessionStore,
  health: Pick<HealthRecorder, 'count' | 'turnFailed'>,
): SessionStore {
  /** What open turns had cost their sessions when that was counted last. */
  const counted = new Map<TurnId, SessionCosts>()

  const spend = (before: SessionCosts, after: SessionCosts) => {
    for (const [model, microcents] of addedCosts(before, after)) health.count('cost', model, microcents)
  }
  return {
    ...store,

    async create(session, ...rest) {
      await store.create(session, ...rest)
      health.count('session', session.channel)
    },

    async append(lease, batch) {
      await store.append(lease, batch)
      if (batch.costs) {
        spend(counted.get(lease.turnId) ?? lease.costs, batch.costs)
        counted.set(lease.turnId, batch.costs)
      }
      if (batch.lease !== 'kept') counted.delete(lease.turnId)
      for (const { body } of batch.events) {
        if (body.type !== 'session:turn_completed') continue
        const code = errorCodeOf(body)
        health.count('turn', code ?? String(body['stopReason']))
        if (code !== undefined) health.turnFailed(lease.sessionId, code)
      }
    },

    async note(note) {
      const before = note.costs && (await store.find(note.sessionId))?.session.costs
      const sequence = await store.note(note)
      if (note.costs && before) spend(before, note.costs)
      return sequence
    },
  }
}

function errorCodeOf({ error }: StoredEvent['body']): string | undefined {
  const isError = typeof error === 'object' && error !== null && 'code' in error
  return isError && typeof error.code === 'string' ? error.code : undefined
}

/** What each model has cost between two totals of a session, in micro-cents. Steps without a price cost nothing that is known. */
export function addedCosts(
  before: SessionCosts,
  after: SessionCosts,
): readonly (readonly [model: string, microcents: number])[] {
  return Object.entries(after).flatMap(([model, { microcents }]) => {
    const added = microcents - (before[model]?.microcents ?? 0)
    return added > 0 ? [[model, added] as const] : []
  })
}
