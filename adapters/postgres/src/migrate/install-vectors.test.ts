import { randomBytes } from 'node:crypto'
import { Client } from 'pg'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { PGVECTOR_URL, usePgvectorServer } from '../testing/pgvector-server.ts'
import { openDatabase } from '../open-database.ts'
import { query } from '../server/testing/test-cluster.ts'
import { freshDatabase } from '../testing/index.ts'
import { installVectors } from './install-vectors.ts'
import { migrate } from './migrate.ts'

async function emptyDatabase() {
  const { databaseUrl, drop } = await freshDatabase('empty')
  onTestFinished(drop)
  return databaseUrl
}

async function keepsVectors(databaseUrl: string): Promise<boolean> {
  const database = await openDatabase({ databaseUrl })
  await database.close()
  return database.retriever.byVector !== undefined
}

describe.skipIf(!PGVECTOR_URL)('with pgvector', () => {
  beforeAll(usePgvectorServer)

  test('[K5] any number of processes may install it at once, and again', async () => {
    const databaseUrl = await emptyDatabase()
    await Promise.all([1, 2, 3].map(() => migrate({ databaseUrl })))
    await migrate({ databaseUrl })
    expect(await keepsVectors(databaseUrl)).toBe(true)
  })

  test('[K5] the extension may have been made before, elsewhere', async () => {
    const databaseUrl = await emptyDatabase()
    await query(databaseUrl, 'create schema "Other one"; create extension vector with schema "Other one"')
    await migrate({ databaseUrl })
    expect(await keepsVectors(databaseUrl)).toBe(true)
    const asked = `select * from search_vectors('{}', '{1,2}', 'local/any', 5)`
    expect(await query(databaseUrl, asked)).toEqual([])
  })

  test('[K5] who may not make the extension goes without', async () => {
    const databaseUrl = await emptyDatabase()
    const name = `lesser_${randomBytes(4).toString('hex')}`
    await query(
      databaseUrl,
      `create role ${name} login password 'made-up'; create schema extensions authorization ${name}`,
    )
    onTestFinished(async () => {
      await query(databaseUrl, `drop owned by ${name}; drop role ${name}`)
    })
    const url = new URL(databaseUrl)
    url.username = name
    url.password = 'made-up'
    const lesser = new Client(url.href)
    await lesser.connect()
    await installVectors(lesser)
    await lesser.end()
    expect(await query(databaseUrl, `select from pg_extension where extname = 'vector'`)).toEqual([])
  })
})
