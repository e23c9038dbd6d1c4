import type { SessionCosts, TurnId } from '@parley/contracts'
import type { SessionStore, StoredEvent } from '@parley/engine'
import type { HealthRecorder } from '@parley/postgres'

/** Counts the costs and errors that a store records. Off-record sessions never reach it. */
export function watchStore(
  store: SessionStore,
  health: Pick<HealthRecorder, 'count' | 'recordTurnFailure'>,
): SessionStore {
  /** The last counted costs of the session of each open turn. */
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
        const code = readErrorCode(body)
        health.count('turn', code ?? String(body['stopReason']))
        if (code !== undefined) health.recordTurnFailure(lease.sessionId, code)
      }
    },

    async writeBetweenTurns(note) {
      const before = note.costs && (await store.find(note.sessionId))?.session.costs
      const sequence = await store.writeBetweenTurns(note)
      if (note.costs && before) spend(before, note.costs)
      return sequence
    },
  }
}

function readErrorCode({ error }: StoredEvent['body']): string | undefined {
  const isError = typeof error === 'object' && error !== null && 'code' in error
  return isError && typeof error.code === 'string' ? error.code : undefined
}

/** The added cost of each model between two totals of a session, in micro-cents. Steps without a price are not counted. */
export function addedCosts(
  before: SessionCosts,
  after: SessionCosts,
): readonly (readonly [model: string, microcents: number])[] {
  return Object.entries(after).flatMap(([model, { microcents }]) => {
    const added = microcents - (before[model]?.microcents ?? 0)
    return added > 0 ? [[model, added] as const] : []
  })
}
