import { execFileSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Reflection, ReflectionPage, SessionView, Source, SourcePage } from '@parley/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  findProcesses,
  type RunningParley,
  runParley,
  startParley,
  createTemporaryHome,
  VOICE_KEY,
} from './support/running-parley.ts'

let place: Awaited<ReturnType<typeof createTemporaryHome>>
beforeAll(async () => {
  place = await createTemporaryHome()
})
afterAll(() => place.remove())

/** The server that runs on that home: each test continues with the server and data of the previous one. */
let running: RunningParley

test(
  '`parley up` starts on an empty home, and resumes its session after every process was killed',
  { timeout: 120_000 },
  async () => {
    const { home } = place
    const first = await startParley(home)
    expect(first.output()).toContain('✓ postgres')
    const sessionId = await startSession(first)
    await sendMessage(first, sessionId, 'My boat is called Wanda.')
    for (const secret of ['owner-token', 'postgres/password']) {
      expect(statSync(join(home, secret)).mode & 0o777).toBe(0o600)
    }

    const second = await runParley(home, 'up')
    expect(second).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`running at ${first.ready.url}`),
    })

    for (const { pid } of findProcesses(home)) process.kill(pid, 'SIGKILL')
    await first.stop('SIGKILL')
    running = await startParley(home)
    expect(running.ready.token).toBe(first.ready.token)
    expect(await readTranscript(running, sessionId)).toEqual(['My boat is called Wanda.', expect.any(String)])
    await sendMessage(running, sessionId, 'What is my boat called?')
    expect((await readTranscript(running, sessionId)).at(-1)).toContain('My boat is called Wanda.')
  },
)

test(
  '[X4] a server killed mid-answer keeps the sent message, and the session continues',
  { timeout: 120_000 },
  async () => {
    const sessionId = await startSession(running, {
      id: 'long',
      model: 'offline',
      provider: 'offline',
      max_tokens: 1_000_000,
    })
    const words = Array.from({ length: 80_000 }, (_, index) => `word${index}`).join(' ')
    const text = `Read it all back to me\n\n<file path="long.txt">\n${words}\n</file>`
    const answering = await requestApi(
      running,
      'POST',
      `/v1/sessions/${sessionId}/messages`,
      { text },
      'text/event-stream',
    )
    const reader = answering.body?.getReader()
    let received = ''
    while (!received.includes('agent:token'))
      received += new TextDecoder().decode((await reader?.read())?.value)
    await running.stop('SIGKILL')

    running = await startParley(place.home)
    expect(await readTranscript(running, sessionId)).toEqual([text])
    await sendMessage(running, sessionId, 'Are you there?')
    expect(await readTranscript(running, sessionId)).toHaveLength(3)
  },
)

test(
  '[X2][X4] each killed part restarts and resumes its work; when the server is killed, its parts stop',
  { timeout: 180_000 },
  async () => {
    const sessionId = await startSession(running)
    await sendMessage(running, sessionId, 'My boat is called Wanda.')
    await checkPostgresRestarts(running, place.home)
    await sendMessage(running, sessionId, 'What is my boat called?')
    expect((await readTranscript(running, sessionId)).at(-1)).toContain('My boat is called Wanda.')
    const worker = await checkWorkerRestarts(running)
    expect((await runParley(place.home, 'doctor')).stdout).toContain(
      `the local provider runs at ${running.ready.voiceUrl}`,
    )
    const voice = await checkVoiceRestarts(running)

    await running.stop('SIGKILL')
    await expect.poll(() => isServing(worker, 'worker'), PATIENTLY).toBe(false)
    await expect.poll(() => isServing(voice, 'voice'), PATIENTLY).toBe(false)
  },
)

test(
  'of four servers started at once on one home, one runs, and the others report it',
  { timeout: 120_000 },
  async () => {
    const { home } = place
    const start = () => startParley(home, { demo: true })
    const started = await Promise.allSettled(Array.from({ length: 4 }, start))
    const [only, another] = started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    if (!only) throw new Error('No server started')
    running = only
    expect(another).toBeUndefined()
    const said = started.flatMap((one) => (one.status === 'rejected' ? [String(one.reason)] : []))
    expect(said).toEqual(said.map(() => expect.stringMatching(/is just starting|is running at/)))
  },
)

test(
  '[X4] a server killed while it adds the demo resumes at the next start, without duplicates',
  { timeout: 120_000 },
  async () => {
    const { home } = place
    const count = async () => (await listDemoTitles(running)).length
    await expect.poll(count, { ...PATIENTLY, interval: 5 }).not.toBe(0)
    await running.stop('SIGKILL')
    running = await startParley(home, { demo: true })
    await expect.poll(count, PATIENTLY).toBe(DEMO.length)
    expect((await listDemoTitles(running)).toSorted()).toEqual(DEMO.toSorted())

    const [worker = 0] = findServing(running.pid, 'worker')
    const [voice = 0] = findServing(running.pid, 'voice')
    expect(await running.stop('SIGTERM')).toBe(0)
    expect([isServing(worker, 'worker'), isServing(voice, 'voice')]).toEqual([false, false])
    expect(findProcesses(home)).toEqual([])
  },
)

const PATIENTLY = { timeout: 60_000, interval: 100 }

async function checkPostgresRestarts(parley: RunningParley, home: string) {
  const postmaster = Number(readFileSync(join(home, 'postgres/data/postmaster.pid'), 'utf8').split('\n')[0])
  process.kill(postmaster, 'SIGKILL')
  await expect.poll(() => parley.output(), PATIENTLY).toContain('postgres  is back')
  const isReady = async () => (await fetch(`${parley.ready.url}/readyz`)).status
  await expect.poll(isReady, PATIENTLY).toBe(200)
}

/** The next worker imports what was added while none ran. */
async function checkWorkerRestarts(parley: RunningParley): Promise<number> {
  const made = await requestApi(parley, 'POST', '/v1/reflections', { displayName: 'Ada Winter' })
  const { id } = Reflection.parse(await made.json())
  const worker = killPart(parley, 'worker')
  const source = { title: 'Letter', namespace: 'general', text: 'My boat is called Wanda.' }
  const added = await requestApi(parley, 'POST', `/v1/reflections/${id}/sources`, source)
  const path = `/v1/reflections/${id}/sources/${Source.parse(await added.json()).id}`
  const readState = async () => Source.parse(await (await requestApi(parley, 'GET', path)).json()).state
  await expect.poll(readState, PATIENTLY).toBe('completed')
  expect(parley.output()).toContain('the worker stopped (SIGKILL)')
  const [next = 0] = findServing(parley.pid, 'worker')
  expect(next).not.toBe(worker)
  // The demo is only added to a server without reflections.
  expect((await requestApi(parley, 'DELETE', `/v1/reflections/${id}`)).ok).toBe(true)
  return next
}

/** It keeps its address. */
async function checkVoiceRestarts(parley: RunningParley): Promise<number> {
  const voice = killPart(parley, 'voice')
  const headers = { 'xi-api-key': VOICE_KEY }
  const isBack = async () => {
    const [next] = findServing(parley.pid, 'voice')
    const answer = await fetch(`${parley.ready.voiceUrl}/v1/user`, { headers }).catch(() => undefined)
    return next !== voice && answer?.status === 200
  }
  await expect.poll(isBack, PATIENTLY).toBe(true)
  expect(parley.output()).toContain('the voice provider stopped (SIGKILL)')
  return findServing(parley.pid, 'voice')[0] ?? 0
}

function killPart(parley: RunningParley, part: ServerPart): number {
  const [child] = findServing(parley.pid, part)
  if (child === undefined) throw new Error(`No ${part} process runs:\n${parley.output()}`)
  process.kill(child, 'SIGKILL')
  return child
}

const DEMO = (
  JSON.parse(readFileSync(new URL('../demo/reflection.json', import.meta.url), 'utf8')) as {
    readonly sources: readonly { readonly title: string }[]
  }
).sources.map(({ title }) => title)

async function listDemoTitles(parley: RunningParley): Promise<readonly string[]> {
  const list = ReflectionPage.parse(await (await requestApi(parley, 'GET', '/v1/reflections')).json())
  const [demo] = list.items
  if (!demo) return []
  const answer = await requestApi(parley, 'GET', `/v1/reflections/${demo.id}/sources?limit=200`)
  return SourcePage.parse(await answer.json()).items.map(({ title }) => title)
}

type ServerPart = 'worker' | 'voice'

const findServing = (parent: number, part: ServerPart): readonly number[] =>
  listProcesses()
    .filter(({ ppid, command }) => ppid === parent && command.endsWith(` serve ${part}`))
    .map(({ pid }) => pid)

const isServing = (child: number, part: ServerPart): boolean =>
  listProcesses().some(({ pid, command }) => pid === child && command.endsWith(` serve ${part}`))

const listProcesses = () =>
  execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line.trimEnd()))
    .map((found) => ({ pid: Number(found?.[1]), ppid: Number(found?.[2]), command: found?.[3] ?? '' }))

async function startSession(parley: RunningParley, agent?: object) {
  const response = await requestApi(parley, 'POST', '/v1/sessions', {
    channel: 'text',
    ...(agent && { agent }),
  })
  return SessionView.parse(await response.json()).sessionId
}

/** Sends a message and waits for the end of the answer. */
async function sendMessage(parley: RunningParley, sessionId: string, text: string) {
  const response = await requestApi(
    parley,
    'POST',
    `/v1/sessions/${sessionId}/messages`,
    { text },
    'text/event-stream',
  )
  expect(await response.text()).toContain('session:turn_completed')
}

async function readTranscript(parley: RunningParley, sessionId: string): Promise<readonly string[]> {
  const response = await requestApi(parley, 'GET', `/v1/sessions/${sessionId}/messages`)
  const { items } = (await response.json()) as { items: { content: { text: string }[] }[] }
  return items.map(({ content }) => content.map(({ text }) => text).join(''))
}

function requestApi(
  { ready }: RunningParley,
  method: string,
  path: string,
  body?: unknown,
  accept = 'application/json',
) {
  const headers = { authorization: `Bearer ${ready.token}`, accept, 'content-type': 'application/json' }
  return fetch(`${ready.url}${path}`, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
}
