/** Takes calls, one after another, until it is killed or none is left. */
import { SessionId } from '@parley/contracts'
import { openDatabase } from '../../open-database.ts'
import { createTakenCall } from './taken-call.ts'

const [, , databaseUrl = '', sessionIds = ''] = process.argv
const database = await openDatabase({ databaseUrl })
process.stdout.write('ready\n')
for (const id of sessionIds.split(',')) await database.transcripts.take(createTakenCall(SessionId.parse(id)))
await database.close()
