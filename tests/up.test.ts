import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { SessionView } from '@parley/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  processesOf,
  type RunningParley,
  runParley,
  startParley,
  temporaryHome,
} from './support/running-parley.ts'

let place: Awaited<ReturnType<typeof temporaryHome>>
beforeAll(async () => {
  place = await temporaryHome()
})
afterAll(() => place.remove())

test(
  '`parley up` from nothing to a session, and again after everything was killed',
  { timeout: 120_000 },
  async () => {
    const { home } = place
    const first = await startParley(home)
    expect(first.output()).toContain('✓ postgres')
    const sessionId = await startSession(first)
    await say(first, sessionId, 'My boat is called Wanda.')
    for (const secret of ['owner-token', 'postgres/password']) {
      expect(statSync(join(home, secret)).mode & 0o777).toBe(0o600)
    }

    const second = await runParley(home, 'up')
    expect(second).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`running at ${first.ready.url}`),
    })

    for (const { pid } of processesOf(home)) process.kill(pid, 'SIGKILL')
    await first.stop('SIGKILL')
    const third = await startParley(home)
    expect(third.ready.token).toBe(first.ready.token)
    expect(await transcript(third, sessionId)).toEqual(['My boat is called Wanda.', expect.any(String)])
    await say(third, sessionId, 'What is my boat called?')
    expect((await transcript(third, sessionId)).at(-1)).toContain('My boat is called Wanda.')

    expect(await third.stop('SIGINT')).toBe(0)
    expect(processesOf(home)).toEqual([])
  },
)

test(
  '[X4] the server is killed in mid-answer: what was sent is there, and the session goes on',
  { timeout: 120_000 },
  async () => {
    const { home } = place
    const first = await startParley(home)
    const sessionId = await startSession(first, {
      id: 'long',
      model: 'offline',
      provider: 'offline',
      max_tokens: 1_000_000,
    })
    const words = Array.from({ length: 80_000 }, (_, index) => `word${index}`).join(' ')
    const text = `Read it all back to me\n\n<file path="long.txt">\n${words}\n</file>`
    const answering = await call(
      first,
      'POST',
      `/v1/sessions/${sessionId}/messages`,
      { text },
      'text/event-stream',
    )
    const reader = answering.body?.getReader()
    let heard = ''
    while (!heard.includes('agent:token')) heard += new TextDecoder().decode((await reader?.read())?.value)
    await first.stop('SIGKILL')

    const second = await startParley(home)
    expect(await transcript(second, sessionId)).toEqual([text])
    await say(second, sessionId, 'Are you there?')
    expect(await transcript(second, sessionId)).toHaveLength(3)
    expect(await second.stop('SIGTERM')).toBe(0)
  },
)

test(
  'of many that start at once on one home, one runs, and the others say so',
  { timeout: 120_000 },
  async () => {
    const { home } = place
    const started = await Promise.allSettled(Array.from({ length: 4 }, () => startParley(home)))
    const running = started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    expect(running).toHaveLength(1)
    const said = started.flatMap((one) => (one.status === 'rejected' ? [String(one.reason)] : []))
    expect(said).toEqual(said.map(() => expect.stringMatching(/is just starting|is running at/)))
    expect(await running[0]?.stop('SIGINT')).toBe(0)
  },
)

test(
  '[X4] Postgres is killed under it: it comes back, and the session goes on',
  { timeout: 120_000 },
  async () => {
    const { home } = place
    const parley = await startParley(home)
    const sessionId = await startSession(parley)
    await say(parley, sessionId, 'My boat is called Wanda.')
    const postmaster = Number(readFileSync(join(home, 'postgres/data/postmaster.pid'), 'utf8').split('\n')[0])
    process.kill(postmaster, 'SIGKILL')
    await expect.poll(() => parley.output(), { timeout: 30_000 }).toContain('postgres  is back')
    await expect
      .poll(async () => (await fetch(`${parley.ready.url}/readyz`)).status, { timeout: 30_000 })
      .toBe(200)
    await say(parley, sessionId, 'What is my boat called?')
    expect((await transcript(parley, sessionId)).at(-1)).toContain('My boat is called Wanda.')
    expect(await parley.stop('SIGINT')).toBe(0)
    expect(processesOf(home)).toEqual([])
  },
)

async function startSession(parley: RunningParley, agent?: object) {
  const response = await call(parley, 'POST', '/v1/sessions', { channel: 'text', ...(agent && { agent }) })
  return SessionView.parse(await response.json()).sessionId
}

/** Says something and waits for the end of the answer. */
async function say(parley: RunningParley, sessionId: string, text: string) {
  const response = await call(
    parley,
    'POST',
    `/v1/sessions/${sessionId}/messages`,
    { text },
    'text/event-stream',
  )
  expect(await response.text()).toContain('session:turn_completed')
}

async function transcript(parley: RunningParley, sessionId: string): Promise<readonly string[]> {
  const response = await call(parley, 'GET', `/v1/sessions/${sessionId}/messages`)
  const { items } = (await response.json()) as { items: { content: { text: string }[] }[] }
  return items.map(({ content }) => content.map(({ text }) => text).join(''))
}

function call(
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
