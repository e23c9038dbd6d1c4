import type { QueryResultRow } from 'pg'

/** A statement that a connection parses and plans once. */
export interface Statement {
  readonly name: string
  readonly text: string
}

/**
 * Runs statements on the pool; what goes wrong with the database is a PlatformError. An abort of the signal cancels the
 * statement on the server too, or leaves the queue for a connection.
 */
export type Run = <Row extends QueryResultRow>(
  statement: Statement,
  values?: readonly unknown[],
  signal?: AbortSignal,
) => Promise<readonly Row[]>
