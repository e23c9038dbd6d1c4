import { type PersonId, PlatformError, type SessionId } from '@parley/contracts'
import type { Wait } from '@parley/engine'
import { startInTime } from '@parley/reflections'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ComposedServices } from '../compose.ts'
import type { Services } from '../services.ts'
import { wait as afterDelay } from '../node-host.ts'
import { composeReflectionSessions } from './reflection-host.ts'
import { typedApi } from './typed-api.fixture.ts'

let api: Awaited<ReturnType<typeof typedApi>>
let composed: ComposedServices
beforeAll(async () => {
  api = await typedApi()
  composed = await api.composed()
})
afterAll(() => api.dispose())

const never = () => new Promise<never>(() => {})
interface Trial {
  readonly services?: (services: Services) => Partial<Services>
  readonly mode?: string
  readonly offRecord?: boolean
  readonly wait?: Wait
}

/** The response, the row, the reports and the remains of the session. */
async function failing({ services = () => ({}), mode, offRecord = false, wait }: Trial) {
  const reflection = await composed.services.reflections.find(api.reflectionId)
  if (!reflection) throw new Error('no reflection')
  const reported: { readonly sessionId: SessionId; readonly code: string }[] = []
  const given: Services = {
    ...composed.services,
    ...services(composed.services),
    errors: { capture: (_, about) => void reported.push(about) },
  }
  const personId = 'per_owner' as PersonId
  const request = { reflection, personId, role: 'owner', audience: 'private', hints: { mode } } as const
  const told = await startInTime(wait ?? afterDelay, (time) =>
    composeReflectionSessions(given).startTyped({ ...request, offRecord }, time),
  ).then(
    () => 'started',
    (failure: unknown) => (failure instanceof PlatformError ? failure.code : 'internal'),
  )
  const [first] = reported
  const row = first && (await composed.services.sessionRows.find(first.sessionId))
  return {
    told,
    reported: reported.map(({ code }) => code),
    row: row && { status: row.status, failure: row.failure },
    session: first && (await composed.services.store.find(first.sessionId)),
  }
}

test.each<[string, Trial, string]>([
  [
    'the session cannot be kept',
    {
      mode: 'onboarding',
      services: ({ sessions }) => ({
        sessions: { ...sessions, start: () => Promise.reject(new PlatformError('database_unavailable')) },
      }),
    },
    'database_unavailable',
  ],
  [
    'it is ended while it starts',
    {
      mode: 'onboarding',
      services: ({ sessionRows, sessions }) => ({
        sessions: {
          ...sessions,
          start: async (opening) => {
            const session = await sessions.start(opening)
            await sessionRows.fail(session.id, 'session_ended')
            return session
          },
        },
      }),
    },
    'session_ended',
  ],
])(
  '[V9] a failed typed start has its code in the response, its row and the report: %s',
  async (_, trial, code) => {
    expect(await failing(trial)).toEqual({
      told: code,
      reported: [code],
      row: { status: 'failed', failure: code },
      session: undefined,
    })
  },
)

test('[V9] a session that is stored after the deadline is removed', async () => {
  const { services } = composed
  const begun = Promise.withResolvers<void>()
  const over = Promise.withResolvers<void>()
  const kept = Promise.withResolvers<SessionId>()
  const sessions: Services['sessions'] = {
    ...services.sessions,
    start: async (opening) => {
      begun.resolve()
      await over.promise
      const session = await services.sessions.start(opening)
      kept.resolve(session.id)
      return session
    },
  }
  const outcome = await failing({
    mode: 'onboarding',
    services: () => ({ sessions }),
    wait: (ms) => (ms === 12_000 ? begun.promise : never()),
  })
  expect(outcome).toMatchObject({ told: 'run_timeout', row: { status: 'failed', failure: 'run_timeout' } })
  over.resolve()
  const sessionId = await kept.promise
  await expect.poll(() => services.store.find(sessionId)).toBeUndefined()
})
