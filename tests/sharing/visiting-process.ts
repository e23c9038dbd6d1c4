/** Starts a typed session with a link. The test kills it before it is done. */
import { pino } from 'pino'
import { compose } from '../../apps/api/src/compose.ts'
import { createVisitStarter } from '../../apps/api/src/reflections/visitors.ts'

const [, , databaseUrl = '', home = '', token = ''] = process.argv
const { services } = await compose({ databaseUrl, home, logger: pino({ level: 'silent' }) })
await createVisitStarter(services)({ token, channel: 'text', transport: 'websocket', client: 'web' })
