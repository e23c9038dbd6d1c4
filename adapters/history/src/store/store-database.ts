import type Database from 'better-sqlite3-multiple-ciphers'

/** What the store uses of the library beyond what opens a file. */
export interface StoreDatabase extends Database {
  prepare<Given extends unknown[] | object, Row = unknown>(
    sql: string,
  ): StoreStatement<Given extends unknown[] ? Given : [Given], Row>
  function(
    name: string,
    options: { readonly deterministic: boolean },
    compute: (...given: never[]) => number,
  ): this
}

interface StoreStatement<Given extends unknown[], Row> extends Database.Statement<Given, Row> {
  run(...given: Given): { readonly changes: number }
  iterate(...given: Given): IterableIterator<Row>
}
