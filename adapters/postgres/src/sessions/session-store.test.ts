import { describeSessionStore } from '@parley/engine/testing'
import { afterAll } from 'vitest'
import { openDatabase } from '../open-database.ts'
import { runSql, waitUntil } from '../server/testing/test-cluster.ts'
import { freshDatabase } from '../testing/index.ts'

const fresh = freshDatabase()
const ours = fresh.then(openDatabase)
const theirs = fresh.then(openDatabase)

describeSessionStore('postgres', async () => ({
  store: (await ours).sessions,
  other: (await theirs).sessions,
  doomed: openDoomedStore,
}))

/** The database considers a process dead once its connections have ended. */
async function openDoomedStore() {
  const { databaseUrl } = await fresh
  const database = await openDatabase({ databaseUrl })
  const countLocks = async () => {
    const [row] = await runSql(databaseUrl, `select count(*)::int from pg_locks where locktype = 'advisory'`)
    return Number(row?.['count'])
  }
  return {
    store: database.sessions,
    async die() {
      const before = await countLocks()
      await database.close()
      await waitUntil(async () => (await countLocks()) < before)
    },
  }
}

afterAll(async () => {
  await (await ours).close()
  await (await theirs).close()
  await (await fresh).drop()
})
