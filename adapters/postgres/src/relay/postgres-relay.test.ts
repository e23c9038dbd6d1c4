import type { SessionEvent, SessionId } from '@parley/contracts'
import { createEventHub, createSessions, noTools } from '@parley/engine'
import { scriptedModel, type Script, testAgent, testIds, testOwner } from '@parley/engine/testing'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { urlAs } from '../login/database-url.ts'
import { openDatabase } from '../open-database.ts'
import { query, until } from '../server/testing/test-cluster.ts'
import { type FreshDatabase, freshDatabase } from '../testing/index.ts'

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await freshDatabase()
})
afterAll(() => fresh.drop())

/** A process of its own, as far as the database can tell. */
async function openProcess(scripts: readonly Script[] = []) {
  const database = await openDatabase(fresh)
  onTestFinished(() => database.close())
  const { sessions: store, relay } = database
  const hub = createEventHub({ across: { relay, store } })
  const model = scriptedModel(scripts)
  const ids = testIds()
  const host = { store, hub, clock: Date, ids, modelOf: () => model, toolsOf: () => noTools }
  const sessions = createSessions(host)
  const start = () =>
    sessions.start({
      ownerId: testOwner,
      channel: 'text',
      agent: testAgent,
      context: { workingDir: '/', fsScopeTier: 'sandboxed' },
    })
  const listen = (sessionId: SessionId) => {
    const heard: SessionEvent[] = []
    const abort = new AbortController()
    onTestFinished(() => abort.abort())
    const reading = async () => {
      for await (const event of sessions.events({ sessionId, after: 0, signal: abort.signal }))
        heard.push(event)
    }
    void reading()
    return heard
  }
  return { sessions, start, listen }
}

/** Says a word whenever it is told to. */
function steered() {
  const words: (string | undefined)[] = []
  const script: Script = async function* () {
    for (let said = 0; ; said += 1) {
      await until(async () => said < words.length)
      const text = words[said]
      if (text === undefined) break
      yield { type: 'text', text }
    }
    yield { type: 'finish', reason: 'completed', usage: { inputTokens: 1, outputTokens: 1 } }
  }
  return { script, say: (text: string) => words.push(text), finish: () => words.push(undefined) }
}

const textOf = (events: readonly SessionEvent[]) =>
  events.map((event) => (event.type === 'agent:token' ? event.token : '')).join('')

const isEnded = (events: readonly SessionEvent[]) =>
  events.some(({ type }) => type === 'session:turn_completed')

test('[S6] a reader in another process hears words as they come, before any store has them', async () => {
  const { script, say, finish } = steered()
  const [runs, reads] = [await openProcess([script]), await openProcess()]
  const { id } = await runs.start()
  const heard = reads.listen(id)
  const turn = await runs.sessions.send(id, 'Talk')
  say('one ')
  await until(async () => textOf(heard) === 'one ')
  say('two ')
  await until(async () => textOf(heard) === 'one two ')
  const late = reads.listen(id)
  await until(async () => textOf(late) === 'one two ')
  const big = 'x'.repeat(300_000)
  say(big)
  await until(async () => textOf(heard).length === big.length + 8)
  finish()
  expect(await turn.ended).toBe('completed')
  await until(async () => isEnded(heard) && isEnded(late))
})

test('[S6] nobody who may merely log in learns a word, or makes one believed', async () => {
  const { script, say, finish } = steered()
  const [runs, reads] = [await openProcess([script]), await openProcess()]
  const stranger = new Client(urlAs(fresh.databaseUrl, 'parley_public'))
  await stranger.connect()
  onTestFinished(() => stranger.end())
  const notices: string[] = []
  stranger.on('notification', ({ payload = '' }) => notices.push(payload))
  await stranger.query('listen parley')
  const { id } = await runs.start()
  const heard = reads.listen(id)
  const turn = await runs.sessions.send(id, 'Talk')
  say('canary-in-the-text ')
  await until(async () => textOf(heard).includes('canary'))
  await until(async () => notices.some((notice) => notice.startsWith('said ')))
  expect(notices.join('\n')).not.toContain('canary')
  const [, sender] = notices.find((notice) => notice.startsWith('said '))?.split(' ') ?? []
  const forged = Buffer.from(JSON.stringify({ sessionId: id, events: [] })).toString('base64')
  for (const notice of [
    `said ${sender} 999 0 1 ${forged}`,
    `stored ${sender} ${id} 999`,
    'said',
    `cancel ${turn.turnId}`,
  ])
    await stranger.query('select pg_notify($1, $2)', ['parley', notice])
  say('more')
  await until(async () => textOf(heard) === 'canary-in-the-text more')
  finish()
  expect(await turn.ended).toBe('completed')
  await until(async () => isEnded(heard))
  expect(textOf(heard)).toBe('canary-in-the-text more')
})

test('[S6][X4] where the connection for notices breaks in the middle of a turn, readers end with everything', async () => {
  const { script, say, finish } = steered()
  const [runs, reads] = [await openProcess([script]), await openProcess()]
  const { id } = await runs.start()
  const heard = reads.listen(id)
  const turn = await runs.sessions.send(id, 'Talk')
  say('one ')
  await until(async () => textOf(heard) === 'one ')
  await query(
    fresh.databaseUrl,
    `select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory'
       and database = (select oid from pg_database where datname = current_database())`,
  )
  say('two ')
  finish()
  await turn.ended
  await until(async () => isEnded(heard))
  const last = heard.filter(({ type }) => type === 'agent:token').at(-1)
  expect(last).toMatchObject({ sequenceNumber: 4 })
  const whole = reads.listen(id)
  await until(async () => isEnded(whole))
  expect(textOf(whole)).toBe('one two ')
})
