import { describeSessionStore } from '@parley/engine/testing'
import { afterAll } from 'vitest'
import { openDatabase } from '../open-database.ts'
import { freshDatabase } from '../testing/index.ts'

const fresh = freshDatabase()
const ours = fresh.then(openDatabase)
const theirs = fresh.then(openDatabase)

describeSessionStore('postgres', async () => ({
  store: (await ours).sessions,
  other: (await theirs).sessions,
}))

afterAll(async () => {
  await (await ours).close()
  await (await theirs).close()
  await (await fresh).drop()
})
