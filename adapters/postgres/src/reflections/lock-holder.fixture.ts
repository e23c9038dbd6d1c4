import { openDatabase } from '../open-database.ts'

/** A process that is alone with something until it is killed. */
const [databaseUrl = ''] = process.argv.slice(2)
const database = await openDatabase({ databaseUrl })
await database.syncs.runExclusively(
  'held by another',
  () => {
    process.stdout.write('inside\n')
    return new Promise(() => setInterval(() => undefined, 60_000))
  },
  new AbortController().signal,
)
