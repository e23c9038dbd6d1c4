import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PlatformError, type SessionId } from '@parley/contracts'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { createErrorReports } from './error-reports.ts'

const SECRET = 'made-up-secret-of-the-provider'
const mask = (text: string) => text.replaceAll(SECRET, '[secret]')
const about = { sessionId: 'ses_one' as SessionId, code: 'provider_unavailable' } as const
const failure = () =>
  new PlatformError('provider_unavailable', { message: `It said ${SECRET}, then nothing.` })

function logging() {
  const lines: string[] = []
  return { lines, logger: pino({}, { write: (line: string) => void lines.push(line) }) }
}

/** Stands where Sentry would. */
async function collector() {
  const bodies: string[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (piece: Buffer) => (body += piece.toString()))
    request.on('end', () => {
      bodies.push(body)
      response.end('{}')
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const close = () => new Promise((resolve) => server.close(resolve))
  return { bodies, close, dsn: `http://madeupkey@127.0.0.1:${port}/1` }
}

test('[V9] a failure is sent to the DSN with its code and session, without secrets', async () => {
  const { bodies, close, dsn } = await collector()
  const { lines, logger } = logging()
  const errors = createErrorReports({ logger, mask, dsn })
  errors.capture(failure(), about)
  errors.capture('no error at all', { ...about, code: 'internal' })
  await errors.close()
  await close()
  const sent = bodies.join('\n')
  expect(bodies).toHaveLength(2)
  expect(sent).toContain('ses_one')
  expect(sent).toContain('provider_unavailable')
  expect(sent).toContain('It said [secret], then nothing.')
  expect(sent + lines.join('\n')).not.toContain(SECRET)
})

test('[V9] without a DSN a failure is only logged', async () => {
  const { lines, logger } = logging()
  const errors = createErrorReports({ logger, mask })
  errors.capture(failure(), about)
  await errors.close()
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { sessionId: 'ses_one', code: 'provider_unavailable', reason: 'It said [secret], then nothing.' },
  ])
})

test('[V9] an unreachable or invalid DSN causes no other failure', async () => {
  const { lines, logger } = logging()
  for (const dsn of ['http://madeupkey@127.0.0.1:1/1', 'not a dsn']) {
    const errors = createErrorReports({ logger, mask, dsn })
    errors.capture(failure(), about)
    await errors.close()
  }
  expect(lines.filter((line) => line.includes('a session did not start'))).toHaveLength(2)
})
