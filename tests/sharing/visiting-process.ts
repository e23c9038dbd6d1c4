/** Starts a typed session by a link, and is killed before that is done. */
import { pino } from 'pino'
import { compose } from '../../apps/api/src/compose.ts'
import { visitsOf } from '../../apps/api/src/reflections/visitors.ts'

const [, , databaseUrl = '', home = '', token = ''] = process.argv
const { services } = await compose({ databaseUrl, home, logger: pino({ level: 'silent' }) })
await visitsOf(services)({ token, channel: 'text', transport: 'websocket', shape: 'web' })
