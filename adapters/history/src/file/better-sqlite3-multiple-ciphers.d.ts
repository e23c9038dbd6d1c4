/** Types for the used part of the library, whose own types are not in its `exports`. */
declare module 'better-sqlite3-multiple-ciphers' {
  namespace Database {
    interface Statement<Given extends unknown[], Row> {
      run(...given: Given): { readonly changes: number }
      get(...given: Given): Row | undefined
      all(...given: Given): Row[]
      iterate(...given: Given): IterableIterator<Row>
    }

    interface Transaction<Given extends unknown[], Result> {
      immediate(...given: Given): Result
      exclusive(...given: Given): Result
    }
  }

  class Database {
    constructor(path: string, options?: { readonly fileMustExist?: boolean; readonly timeout?: number })
    readonly open: boolean
    exec(sql: string): this
    pragma(text: string, options?: { readonly simple?: boolean }): unknown
    key(passphrase: Buffer): number
    rekey(passphrase: Buffer): number
    unsafeMode(): this
    prepare<Given extends unknown[] | object, Row = unknown>(
      sql: string,
    ): Database.Statement<Given extends unknown[] ? Given : [Given], Row>
    transaction<Given extends unknown[], Result>(
      work: (...given: Given) => Result,
    ): Database.Transaction<Given, Result>
    function(
      name: string,
      options: { readonly deterministic: boolean },
      compute: (...given: never[]) => number,
    ): this
    serialize(): Buffer
    close(): this
  }

  export = Database
}
