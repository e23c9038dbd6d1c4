import { Client } from 'pg'

/** A transaction that has run these statements and stays open, with the locks that they took. */
export async function openTransaction(url: string, sql: string): Promise<{ end(): Promise<void> }> {
  const client = new Client(url)
  await client.connect()
  await client.query(`begin; ${sql}`)
  return { end: () => client.end() }
}
