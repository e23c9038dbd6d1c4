import type { ReflectionId, SessionId } from '@parley/contracts'
import { expect, test } from 'vitest'
import { type ApiClient, createApiClient } from './index.ts'

const sessionId = 'ses_1' as SessionId
const reflectionId = 'rfl_1' as ReflectionId
const idempotencyKey = 'made-up-key'
const file = new Blob(['Once.'])

test.each<[string, (client: ApiClient) => Promise<unknown>]>([
  ['sessions.start', ({ sessions }) => sessions.start({ title: 'Once', idempotencyKey })],
  ['sessions.speak', ({ sessions }) => sessions.speak({ reflectionId, idempotencyKey })],
  ['sessions.fork', ({ sessions }) => sessions.fork({ sessionId, idempotencyKey })],
  ['sessions.send', ({ sessions }) => sessions.send({ sessionId, text: 'Once', idempotencyKey })],
  ['visits.start', ({ visits }) => visits.start('shr_1', { idempotencyKey })],
  ['visits.speak', ({ visits }) => visits.speak('shr_1', { idempotencyKey })],
  ['tokens.create', ({ tokens }) => tokens.create({ label: 'Once', role: 'viewer', idempotencyKey })],
  ['reflections.create', ({ reflections }) => reflections.create({ displayName: 'Once', idempotencyKey })],
  [
    'reflections.addNamespace',
    ({ reflections }) => reflections.addNamespace({ reflectionId, name: 'once', idempotencyKey }),
  ],
  [
    'reflections.addSource',
    ({ reflections }) =>
      reflections.addSource(reflectionId, { title: 'Once', namespace: 'once', text: 'Once', idempotencyKey }),
  ],
  [
    'reflections.addSource, a file',
    ({ reflections }) =>
      reflections.addSource(reflectionId, {
        title: 'Once',
        namespace: 'once',
        file,
        fileName: 'once.txt',
        idempotencyKey,
      }),
  ],
  [
    'reflections.correct',
    ({ reflections }) =>
      reflections.correct({ reflectionId, fact: 'Once', correction: 'Twice', idempotencyKey }),
  ],
  [
    'reflections.invite',
    ({ reflections }) => reflections.invite({ reflectionId, label: 'Ada', role: 'viewer', idempotencyKey }),
  ],
  [
    'reflections.inviteAgain',
    ({ reflections }) =>
      reflections.inviteAgain({ reflectionId, personId: 'per_1' as never, idempotencyKey }),
  ],
  ['reflections.share', ({ reflections }) => reflections.share({ reflectionId, idempotencyKey })],
])('%s sends its key as a header, and not in the body', async (_, call) => {
  const requests: RequestInit[] = []
  const client = createApiClient({
    baseUrl: 'http://parley.example',
    fetch: async (_url, init = {}) => {
      requests.push(init)
      return Response.json({}, { status: 500 })
    },
  })
  await expect(call(client)).rejects.toMatchObject({ code: 'internal' })
  expect(requests).toHaveLength(1)
  expect(new Headers(requests[0]?.headers).get('idempotency-key')).toBe(idempotencyKey)
  const { body } = requests[0] ?? {}
  expect(body instanceof FormData ? [...body.keys()].join() : body).not.toContain('dempotency')
})
