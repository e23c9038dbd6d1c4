import { createHash } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import type { PersonId, Role, SessionEvent } from '@parley/contracts'
import type { ModelPort } from '@parley/engine'
import { testAgent, createTestSessions } from '@parley/engine/testing'
import type { ReflectionStore } from '@parley/knowledge'
import { createHealthRecorder } from '@parley/postgres'
import type { ShareLinkStore } from '@parley/reflections'
import { pino } from 'pino'
import { createApp } from '../app.ts'
import { listen } from '../listen.ts'
import { createMetrics } from '../metrics.ts'
import type { Services } from '../services.ts'

/** A token that looks made up, for a person of a role. */
export const tokenOf = (role: Role, person = role) => `made-up-token-of-${role}-${person}`

const OFFLINE_AGENT = { ...testAgent, id: 'offline' }

/** The API on real HTTP, on a given model and the engine's fakes. */
export async function testApi(
  model: ModelPort,
  given: Partial<Services> = {},
  parts: Parameters<typeof createTestSessions>[1] = {},
) {
  const { sessions, store } = createTestSessions(model, parts)
  const callers = new Map(
    (['owner', 'admin', 'operator', 'viewer', 'guest'] as const).flatMap((role) =>
      [role, 'other'].map((person) => [
        hashOf(tokenOf(role, person as Role)),
        { personId: `per_${role}${person}` as PersonId, role, label: role },
      ]),
    ),
  )
  const logged: string[] = []
  const services: Services = {
    sessions,
    store,
    offRecord: { store, admit: () => {}, holds: () => false, forget: () => {}, endOld: async () => {} },
    reflections: new Proxy({} as ReflectionStore, {
      get: (_, name) => (name === 'isAdminOfAny' ? async () => false : notHere),
    }),
    runtime: {
      previewPublish: notHere,
      readPromoted: notHere,
      readPromotedEvidence: notHere,
      readLedger: notHere,
      readGeneration: notHere,
    },
    askQuestion: notHere,
    signIns: { create: notHere, end: notHere },
    tokens: { create: notHere, list: notHere, revoke: notHere, findLabels: async () => new Map() },
    audit: { record: async () => {}, read: notHere },
    shareLinks: new Proxy({} as ShareLinkStore, { get: () => notHere }),
    sessionRows: new Proxy({} as Services['sessionRows'], {
      get: (_, name) => (name === 'findReflections' ? async () => new Map() : nobody),
    }),
    publicScopes: new Proxy({} as Services['publicScopes'], { get: () => notHere }),
    transcripts: new Proxy({} as Services['transcripts'], { get: () => notHere }),
    findReflectionRole: nobody,
    now: Date.now,
    deadline: (ms) => AbortSignal.timeout(ms),
    retrieveForSession: notHere,
    citations: { record: () => {}, read: notHere },
    mask: (text) => text,
    findCaller: async (hash) => callers.get(hash.toString('hex')),
    errors: { capture: () => {} },
    logger: pino({}, { write: (line: string) => void logged.push(line) }),
    metrics: createMetrics(),
    recorder: createHealthRecorder({
      log: { write: async () => {}, removeProcess: async () => {} },
      kind: 'api',
      onError: () => {},
    }),
    health: { read: notHere, probe: notHere, retryJob: notHere },
    personSettings: { read: notHere, write: notHere },
    idempotency: { claim: notHere, sweep: notHere },
    ready: async () => {},
    getAgents: () => new Map([['offline', OFFLINE_AGENT]]),
    getDefaultAgent: () => OFFLINE_AGENT,
    getDefaultContext: async () => ({ workingDir: '/srv/parley', fsScopeTier: 'sandboxed' }),
    mcpServers: ['notes'],
    widestTier: 'full',
    hosts: ['parley.example.org'],
    consoleDir: fileURLToPath(new URL('./console', import.meta.url)),
    instanceId: 'test',
    ...given,
  }
  const { url, ...listening } = await listen(createApp(services), 0, (err) =>
    services.logger.error({ err }, 'stream'),
  )

  const call = (
    method: string,
    path: string,
    { token = tokenOf('owner'), body, headers = {}, signal }: Call = {},
  ) =>
    fetch(`${url}${path}`, {
      method,
      headers: {
        ...(token && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      ...(signal && { signal }),
    })
  return { url, close: () => listening.close(), call, logged, services }
}

interface Call {
  readonly token?: string
  readonly body?: unknown
  readonly headers?: Record<string, string>
  readonly signal?: AbortSignal
}

/** Says something over HTTP; the answer is the stream of what happens. */
export const sendMessage = (
  url: string,
  { sessionId, token, text }: Readonly<Record<'sessionId' | 'token' | 'text', string>>,
) =>
  fetch(`${url}/v1/sessions/${sessionId}/messages`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      accept: 'text/event-stream',
      'content-type': 'application/json',
    },
    body: JSON.stringify({ text }),
  })

/** The frames of an event stream, until it ends or one is as wanted. */
export async function framesOf(response: Response, wanted: (event: SessionEvent) => boolean = () => false) {
  const frames: { id: string; type: string; event: SessionEvent }[] = []
  let rest = ''
  const reader = (response.body ?? new ReadableStream<Uint8Array<ArrayBuffer>>())
    .pipeThrough(new TextDecoderStream())
    .getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return frames
    rest += value
    const pieces = rest.split('\n\n')
    rest = pieces.pop() ?? ''
    for (const piece of pieces) {
      const fields = new Map(
        piece
          .split('\n')
          .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
      )
      const data = fields.get('data')
      if (data === undefined) continue
      const event = JSON.parse(data) as SessionEvent
      frames.push({ id: fields.get('id') ?? '', type: fields.get('event') ?? '', event })
      if (wanted(event)) {
        await reader.cancel()
        return frames
      }
    }
  }
}

/** No session here is one with a reflection. */
const nobody = () => Promise.resolve(undefined)

/** Stands for what these tests do not ask for: every call fails. */
const notHere = () => Promise.reject(new Error('nothing here has knowledge'))

const hashOf = (token: string) => createHash('sha256').update(token).digest('hex')
