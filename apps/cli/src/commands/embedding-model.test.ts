import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freshDatabase, PGVECTOR_URL, usePgvectorServer } from '@parley/postgres/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { configure, failWith, startModelServer } from '../testing/model-server.ts'
import {
  createHome,
  parley,
  readUntil,
  runRefusedStart,
  startParley,
  waitForEnd,
} from '../testing/parley-process.ts'

const TOKEN = 'parley_0123456789abcdef0123456789abcdef'

/** A provider of vectors: texts about the sea lie together, whatever their words. */
async function startSeaServer() {
  const server = await startModelServer((response) => {
    const { input = [] } = server.asked.at(-1) as { readonly input?: readonly string[] }
    const data = input.map((text, index) => ({
      index,
      embedding: [/ferry|harbour/i.test(text) ? 1 : 0, 0.1],
    }))
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ object: 'list', data, model: 'vectors' }))
  })
  return server
}

interface Answer {
  readonly id: string
  readonly evidence: readonly unknown[]
}

/** `parley up` on a database with pgvector, with what the API is asked through. */
async function startWithEmbedding(home: string) {
  const { databaseUrl, drop } = await freshDatabase()
  const environment = {
    DATABASE_URL: databaseUrl,
    PARLEY_OWNER_TOKEN: TOKEN,
    PARLEY_PORT: '0',
    PARLEY_DEMO: '0',
  }
  const child = startParley(['up', '--json'], { home, environment })
  const ended = waitForEnd(child)
  onTestFinished(async () => {
    child.kill('SIGTERM')
    await ended
    await drop()
  })
  const [, url = ''] = /"url":"([^"]+)"/.exec(await readUntil(child.stdout, /"url":"[^"]+"/)) ?? []
  child.stdout.resume()
  return async (path: string, body: object): Promise<Answer> => {
    const answer = await fetch(`${url}/v1/reflections${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return answer.json()
  }
}

describe.skipIf(!PGVECTOR_URL)('with pgvector', () => {
  const notes = { title: 'Notes', namespace: 'general' }
  const text = 'She rowed to the harbour at dawn.'

  test(
    '[K5] learning.embedding_model finds passages that share no word with the question',
    { timeout: 120_000 },
    async () => {
      usePgvectorServer()
      await using at = await createHome()
      await using server = await startSeaServer()
      await configure(at.home, { local: server }, '[learning]\nembedding_model = "local/vectors"\n')
      const post = await startWithEmbedding(at.home)
      const { id } = await post('', { displayName: 'Ada Holm' })
      await post(`/${id}/sources`, { ...notes, text })
      const ask = async () => (await post(`/${id}/ask`, { query: 'Which ferry?', limit: 3 })).evidence
      await expect
        .poll(ask, { timeout: 60_000, interval: 200 })
        .toEqual([expect.objectContaining({ kind: 'chunk', text, source: expect.anything() })])
      expect(server.asked).toContainEqual(expect.objectContaining({ model: 'vectors', input: [text] }))
    },
  )

  test('[K5] when its provider fails, the search uses keywords', { timeout: 120_000 }, async () => {
    usePgvectorServer()
    await using at = await createHome()
    await using server = await startModelServer(failWith(500, 'out of order'))
    await configure(at.home, { local: server }, '[learning]\nembedding_model = "local/vectors"\n')
    const post = await startWithEmbedding(at.home)
    const { id } = await post('', { displayName: 'Ada Holm' })
    await post(`/${id}/sources`, { ...notes, text })
    const ask = async () => (await post(`/${id}/ask`, { query: 'Which harbour?', limit: 3 })).evidence
    await expect
      .poll(ask, { timeout: 60_000, interval: 200 })
      .toContainEqual(expect.objectContaining({ text }))
  })
})

test.each([
  ['nobody/vectors', 'There is no provider named nobody'],
  ['offline/offline', 'has no embedding models'],
])('[K5] an unusable embedding model is reported at the start: %s', async (reference, why) => {
  await using at = await createHome()
  await writeFile(join(at.home, 'config.toml'), `[learning]\nembedding_model = "${reference}"\n`)
  const environment = {
    DATABASE_URL: 'postgres://parley:made-up@127.0.0.1:1/none',
    PARLEY_OWNER_TOKEN: TOKEN,
  }
  for (const [what, start] of [
    ['worker', parley],
    ['api', runRefusedStart],
  ] as const) {
    const { code, stderr } = await start(['serve', what], { ...at, environment })
    expect(code).toBe(2)
    expect(stderr).toContain(`learning.embedding_model is ${reference}`)
    expect(stderr).toContain(why)
  }
})
