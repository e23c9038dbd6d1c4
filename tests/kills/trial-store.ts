import type { SessionStore } from '@parley/engine'

/** A store that several processes share. */
export type TrialStore =
  | { readonly kind: 'history'; readonly home: string }
  | { readonly kind: 'postgres'; readonly databaseUrl: string }

const KEY = '0123456789abcdef'.repeat(4)

export async function openTrialStore(
  trial: TrialStore,
): Promise<{ readonly store: SessionStore; readonly close: () => unknown }> {
  if (trial.kind === 'history') {
    const { openHistory } = await import('@parley/history')
    return openHistory({ home: trial.home, key: KEY })
  }
  const { openDatabase } = await import('@parley/postgres')
  const database = await openDatabase(trial)
  return { store: database.sessions, close: () => database.close() }
}
