import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type SessionEvent, SessionView, TurnAccepted, TurnPage } from '@parley/contracts'
import { freshDatabase } from '@parley/postgres/testing'
import { expect, test } from 'vitest'
import { callTool, configure, answerWith, startModelServer } from '../testing/model-server.ts'
import { createHome, parley, readUntil, startParley, waitForEnd } from '../testing/parley-process.ts'
import { runningServer } from '../testing/running-server.ts'

const PATIENTLY = { timeout: 60_000, interval: 100 }

const TOKEN = 'parley_0123456789abcdef0123456789abcdef'

const createCaller = (url: string) => (method: string, path: string, body?: object) =>
  fetch(`${url}/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${TOKEN}`,
      accept: 'application/json, text/event-stream',
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  })

/** `parley serve api` by the config in a home, until the test is over. */
async function startServer(home: string) {
  const { databaseUrl, drop } = await freshDatabase()
  const environment = { DATABASE_URL: databaseUrl, PARLEY_OWNER_TOKEN: TOKEN, PARLEY_PORT: '0' }
  const child = startParley(['serve', 'api'], { home, environment })
  const told = await readUntil(child.stdout, /"url":"[^"]+"/)
  child.stdout.resume()
  child.stderr.resume()
  const [, url = ''] = /"url":"([^"]+)"/.exec(told) ?? []
  return {
    call: createCaller(url),
    async [Symbol.asyncDispose]() {
      const ended = waitForEnd(child)
      child.kill('SIGTERM')
      await ended
      await drop()
    },
  }
}

/** The same API in this process. */
async function startServerHere(home: string) {
  const server = await runningServer({ home, environment: { PARLEY_OWNER_TOKEN: TOKEN } })
  const { ready, output } = server
  return { call: createCaller(ready.url), told: output, [Symbol.asyncDispose]: () => server.stop() }
}

const lastEventIn = (stream: string): SessionEvent =>
  JSON.parse(
    stream
      .split('\n')
      .findLast((line) => line.startsWith('data: '))
      ?.slice('data: '.length) ?? 'null',
  )

test('[S18] a server uses providers and limits of the user’s config and nothing from a project', async () => {
  await using at = await createHome()
  await using model = await startModelServer(answerWith('In Oslo.'))
  await configure(at.home, { local: model }, 'max_turns = 1')
  await mkdir(join(at.home, '.parley'))
  await writeFile(join(at.home, '.parley', 'project.toml'), '[chat]\ndefault_model = "offline/offline"\n')
  await using server = await startServer(at.home)

  const started = SessionView.parse(await (await server.call('POST', '/sessions', {})).json())
  expect(started).toMatchObject({ provider: 'local', model: 'large', costs: {} })
  const path = `/sessions/${started.sessionId}`
  const first = await (await server.call('POST', `${path}/messages`, { text: 'Where?' })).text()
  expect(lastEventIn(first)).toMatchObject({ type: 'session:turn_completed', stopReason: 'completed' })
  expect(SessionView.parse(await (await server.call('GET', path)).json()).costs).toEqual({
    'local/large': { inputTokens: 1_000, outputTokens: 50, microcents: 375_001 },
  })
  const second = await (await server.call('POST', `${path}/messages`, { text: 'And then?' })).text()
  expect(lastEventIn(second)).toMatchObject({ stopReason: 'error', error: { code: 'turn_limit' } })
  expect(model.asked).toHaveLength(1)
})

test('[S4] [S7] over HTTP, the model gets a note about a turn that reached the step limit, and continuing allows as many steps again', async () => {
  await using at = await createHome()
  const read = callTool('read_file', { path: 'tides.txt' })
  await using model = await startModelServer(
    read,
    read,
    read,
    read,
    answerWith('High.'),
    read,
    read,
    answerWith('Low.'),
  )
  await configure(at.home, { local: model }, 'max_tool_turns = 2')
  await using server = await startServerHere(at.home)
  const { sessionId } = SessionView.parse(await (await server.call('POST', '/sessions', {})).json())
  const path = `/sessions/${sessionId}`
  const say = async (text: string) =>
    lastEventIn(await (await server.call('POST', `${path}/messages`, { text })).text())
  const goOn = async (end: string) => {
    const accepted = await server.call('POST', `${path}/resume`, { continue: true })
    expect(accepted.status).toBe(202)
    const { turnId } = TurnAccepted.parse(await accepted.json())
    const stopReason = async () => {
      const { items } = TurnPage.parse(await (await server.call('GET', `${path}/turns`)).json())
      return items.find((turn) => turn.turnId === turnId)?.stopReason
    }
    await expect.poll(stopReason, { timeout: 60_000, interval: 20 }).toBe(end)
  }
  const limited = { stopReason: 'error', error: { code: 'turn_limit' } }
  expect(await say('How is the tide?')).toMatchObject(limited)
  await goOn('error')
  expect(model.asked).toHaveLength(4)
  await goOn('completed')
  expect(model.asked).toHaveLength(5)

  expect(await say('And tomorrow?')).toMatchObject(limited)
  expect(await say('So?')).toMatchObject({ stopReason: 'completed' })
  const asked = JSON.stringify(model.asked.at(-1))
  expect(asked).toMatch(/reached a limit[^]*And tomorrow\?[^]*2 tool calls[^]*So\?/)
})

test('[S11] a sent agent can name any provider of the server; an unknown one is refused with a suggestion', async () => {
  await using at = await createHome()
  await using model = await startModelServer(answerWith('In Oslo.'))
  await configure(at.home, { local: model })
  await using server = await startServerHere(at.home)
  const start = async (provider: string, name: string) => {
    const agent = { id: 'helper', provider, model: name }
    const answer = await server.call('POST', '/sessions', { agent })
    return { http: answer.status, ...((await answer.json()) as { detail?: string; model?: string }) }
  }
  expect(await start('local', 'small')).toMatchObject({ http: 201, model: 'small' })
  expect(await start('offline', 'offline')).toMatchObject({ http: 201 })
  expect(await start('locla', 'small')).toMatchObject({
    http: 400,
    code: 'validation',
    detail: 'This server does not have locla/small. There is no provider named locla: did you mean local?',
  })
  expect(await start('offline', 'small')).toMatchObject({
    http: 400,
    detail: expect.stringContaining('offline/offline'),
  })
})

test('[S18] a running server uses a provider, a default model and an agent added to the config', async () => {
  await using at = await createHome()
  await using model = await startModelServer(answerWith('In Oslo.'))
  await using server = await startServerHere(at.home)
  const start = async (body: object = {}) =>
    (await (await server.call('POST', '/sessions', body)).json()) as { provider?: string; model?: string }
  expect(await start()).toMatchObject({ provider: 'offline' })

  const add = ['providers', 'add', 'local', '--kind', 'openai-compatible', '--base-url', model.url]
  expect(await parley(add, at)).toMatchObject({ code: 0 })
  const agent = { id: 'helper', provider: 'local', model: 'small' }
  await expect.poll(() => start({ agent }), PATIENTLY).toMatchObject({ provider: 'local', model: 'small' })

  await mkdir(join(at.home, 'agents'), { recursive: true })
  await writeFile(join(at.home, 'agents', 'mine.agent.yaml'), 'id: mine\nprovider: local\nmodel: small\n')
  await expect.poll(() => start({ agentId: 'mine' }), PATIENTLY).toMatchObject({ provider: 'local' })

  await configure(at.home, { local: model })
  await expect.poll(() => start(), PATIENTLY).toMatchObject({ provider: 'local', model: 'large' })
  const { sessionId } = SessionView.parse(await (await server.call('POST', '/sessions', {})).json())
  const said = await (
    await server.call('POST', `/sessions/${sessionId}/messages`, { text: 'Where is she?' })
  ).text()
  expect(lastEventIn(said)).toMatchObject({ stopReason: 'completed' })

  await writeFile(join(at.home, 'config.toml'), '[chat]\nmax_turn = 1\n')
  expect(await start()).toMatchObject({ provider: 'local', model: 'large' })
  await expect.poll(() => server.told(), PATIENTLY).toMatch(/config\.toml:2:1: .*keeps its current settings/)
  expect(await start()).toMatchObject({ provider: 'local', model: 'large' })
})
