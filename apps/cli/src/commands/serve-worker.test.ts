import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freshDatabase } from '@parley/postgres/testing'
import { openDatabase } from '@parley/postgres'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { readEnvironment } from '../environment.ts'
import {
  configure,
  failWith,
  type ModelReply,
  answerWith,
  startModelServer,
} from '../testing/model-server.ts'
import {
  KEY,
  createHome,
  parley,
  readUntil,
  runRefusedStart,
  startParley,
  waitForEnd,
} from '../testing/parley-process.ts'
import { startWorker } from '../up/start-parts.ts'

test('a worker reports when it is ready, and stops on a signal', { timeout: 120_000 }, async () => {
  await using at = await createHome()
  const { databaseUrl, drop } = await freshDatabase()
  onTestFinished(() => drop())
  const child = startParley(['serve', 'worker'], { ...at, environment: { DATABASE_URL: databaseUrl } })
  const ended = waitForEnd(child)
  await readUntil(child.stdout, /"msg":"ready"/)
  child.stdout.resume()
  child.kill('SIGTERM')
  expect(await ended).toMatchObject({ code: 0, stderr: '' })
})

const LINE = JSON.stringify({
  part: 1,
  subject: 'Ada Holm',
  predicate: 'likes',
  object: 'the smell of tar',
  statement: 'Ada Holm likes the smell of tar.',
  quote: 'nothing is better than the smell of tar',
  confidence: 0.9,
})

test.each<[string, ModelReply, readonly string[], readonly unknown[]]>([
  ['answers', answerWith(`${LINE}\n`), ['Ada Holm likes the smell of tar.'], []],
  [
    'fails',
    failWith(400, 'no such model'),
    ['Ada Holm lives in Oslo.'],
    [{ rule: 'extraction', severity: 'note', message: expect.stringContaining('no such model') }],
  ],
])(
  '[K3] facts are extracted by learning.model, which %s',
  { timeout: 120_000 },
  async (_, reply, expected, findings) => {
    await using at = await createHome()
    await using server = await startModelServer(reply)
    await configure(at.home, { local: server }, '[learning]\nmodel = "local/large"\n')
    const fresh = await freshDatabase()
    const database = await openDatabase(fresh)
    const { databaseUrl } = fresh
    const environment = readEnvironment({ HOME: at.home, PARLEY_HOME: at.home, PARLEY_HISTORY_KEY: KEY })
    const host = { databaseUrl, createLogger: () => pino({ level: 'silent' }), onNotice: () => {} }
    const worker = await startWorker(environment, host)
    onTestFinished(async () => {
      await worker.stop()
      await database.close()
      await fresh.drop()
    })
    const ownerId = await database.tokens.ensureOwner({ tokenHash: Buffer.alloc(32, 7) })
    const { id } = await database.reflections.create({ displayName: 'Ada Holm', ownerId })
    const bytes = Buffer.from('I live in Oslo. To me, nothing is better than the smell of tar.')
    const source = { title: 'Notes', namespace: 'general', bytes, mediaType: 'text/plain' }
    const { id: sourceId } = await database.reflections.addSource(id, source, ownerId)
    const state = async () => (await database.reflections.findSource(id, sourceId))?.state
    await expect.poll(state, { timeout: 60_000, interval: 100 }).toBe('completed')
    const { items } = await database.reflections.listPatches(id, { limit: 5 })
    expect(items[0]?.facts.map(({ statement }) => statement)).toEqual(expected)
    expect(items[0]?.findings).toEqual(findings)
    expect(JSON.stringify(server.asked[0])).toContain('smell of tar')
  },
)

test('an unavailable learning.model is reported at the start', async () => {
  await using at = await createHome()
  await writeFile(join(at.home, 'config.toml'), '[learning]\nmodel = "nobody/large"\n')
  const { code, stderr } = await parley(['serve', 'worker'], {
    ...at,
    environment: { DATABASE_URL: 'postgres://parley:made-up@127.0.0.1:1/none' },
  })
  expect(code).toBe(2)
  expect(stderr).toContain('learning.model is nobody/large')
})

test('a worker needs DATABASE_URL', async () => {
  await using at = await createHome()
  const { code, stderr } = await runRefusedStart(['serve', 'worker'], at)
  expect(code).toBe(2)
  expect(stderr).toContain('DATABASE_URL is not set')
})
