import type Database from 'better-sqlite3-multiple-ciphers'

/** A value that is never shown, under the name that the person gave it. */
export interface StoredSecret {
  readonly name: string
  readonly value: string
  readonly setAt: string
  /** Others have taken its place, or it was removed: it is only still known so that it is not shown. */
  readonly isRetired: boolean
}

/** Secrets, beside the sessions in the encrypted history. */
export interface SecretStore {
  set(name: string, value: string): void
  /** False where there is none of that name. */
  remove(name: string): boolean
  /** Every value that ever was one. */
  list(): readonly StoredSecret[]
  /** Another number once something in the history was changed, by whatever process. */
  revision(): number
}

interface Row {
  readonly name: string
  readonly value: string
  readonly set_at: string
  readonly replaced_at: string | null
}

export function sqliteSecretStore(database: Database): SecretStore {
  const retire = database.prepare<{ name: string; at: string }>(
    'update secrets set replaced_at = :at where name = :name and replaced_at is null',
  )
  const insert = database.prepare<{ name: string; value: string; at: string }>(
    `insert into secrets (name, value, set_at) values (:name, :value, :at)
     on conflict (name, value) do update set set_at = :at, replaced_at = null`,
  )
  const all = database.prepare<[], Row>(
    // Of values that were set within one millisecond, the one in force is last.
    'select name, value, set_at, replaced_at from secrets order by name, set_at, replaced_at is null, rowid',
  )

  let changes = 0
  const version = database.prepare<[], { data_version: number }>('pragma data_version')

  const set = database.transaction((name: string, value: string) => {
    const at = now()
    retire.run({ name, at })
    insert.run({ name, value, at })
  })

  return {
    set(name, value) {
      set.immediate(name, value)
      changes += 1
    },
    remove(name) {
      changes += 1
      return retire.run({ name, at: now() }).changes > 0
    },
    revision: () => (version.get()?.data_version ?? 0) + changes * OWN,
    list: () =>
      all.all().map(({ name, value, set_at, replaced_at }) => ({
        name,
        value,
        setAt: set_at,
        isRetired: replaced_at !== null,
      })),
  }
}

/** Apart from what other processes change. */
const OWN = 2 ** 32

const now = () => new Date().toISOString()
