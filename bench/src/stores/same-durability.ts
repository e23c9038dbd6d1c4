import type Database from 'better-sqlite3-multiple-ciphers'
import type { Pool } from 'pg'

/** The durability settings of a connection, by name. */
export type DurabilitySettings = Readonly<Record<string, unknown>>

/** Throws if the durability differs, because then the times are not comparable. */
export function assertSameDurability(
  store: string,
  ours: DurabilitySettings,
  floor: DurabilitySettings,
): void {
  const different = Object.keys({ ...ours, ...floor }).filter((name) => ours[name] !== floor[name])
  if (different.length === 0) return
  const told = different.map(
    (name) => `${name} is ${String(ours[name])}, of the floor ${String(floor[name])}`,
  )
  throw new Error(
    `On ${store} our own store and the floor do not write equally safely, so they cannot be compared: ${told.join('; ')}. Give the floor, in bench/floor, the settings of the store.`,
  )
}

const OF_SQLITE = [
  'cipher',
  'journal_mode',
  'synchronous',
  'fullfsync',
  'checkpoint_fullfsync',
  'wal_autocheckpoint',
  'locking_mode',
  'secure_delete',
  'temp_store',
  'page_size',
]

export const sqliteDurability = (database: Database): DurabilitySettings =>
  Object.fromEntries(OF_SQLITE.map((name) => [name, database.pragma(name, { simple: true })]))

const OF_POSTGRES = `select name, setting from pg_settings
  where name in ('fsync', 'synchronous_commit', 'full_page_writes', 'wal_sync_method', 'commit_delay', 'wal_level')`

export async function postgresDurability(pool: Pool): Promise<DurabilitySettings> {
  const { rows } = await pool.query<{ name: string; setting: string }>(OF_POSTGRES)
  return Object.fromEntries(rows.map(({ name, setting }) => [name, setting]))
}

/** Finds the objects whose `method` is called during the work, because a store hides its connection. */
export async function findCallers<Caller extends object, Result>(
  prototype: Caller,
  method: keyof Caller,
  work: () => Promise<Result>,
): Promise<{ callers: readonly Caller[]; result: Result }> {
  const callers = new Set<Caller>()
  const original = prototype[method]
  if (typeof original !== 'function') throw new TypeError(`The method "${String(method)}" does not exist.`)
  prototype[method] = new Proxy(original, {
    apply(target, caller: Caller, given) {
      callers.add(caller)
      return Reflect.apply(target, caller, given)
    },
  })
  try {
    return { result: await work(), callers: [...callers] }
  } finally {
    prototype[method] = original
  }
}
