import { Client } from 'pg'

export interface SentStatement {
  readonly name: string
  readonly text: string
  readonly values: readonly unknown[]
}

/** Records the named statements that this process sends to Postgres during the work. */
export async function recordStatements(work: () => Promise<unknown>): Promise<readonly SentStatement[]> {
  const sent: SentStatement[] = []
  // oxlint-disable-next-line typescript/unbound-method -- called with its original client
  const { query } = Client.prototype
  const recording = function (this: Client, ...given: unknown[]): unknown {
    const [statement] = given
    if (isNamed(statement)) sent.push(statement)
    return Reflect.apply(query, this, given)
  }
  Client.prototype.query = recording as typeof query
  try {
    await work()
  } finally {
    Client.prototype.query = query
  }
  return sent
}

const isNamed = (statement: unknown): statement is SentStatement =>
  typeof statement === 'object' &&
  statement !== null &&
  'name' in statement &&
  'text' in statement &&
  'values' in statement &&
  Array.isArray(statement.values)
