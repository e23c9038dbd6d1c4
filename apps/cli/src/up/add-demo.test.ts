import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startApi } from '@parley/api'
import { type ApiClient, createApiClient } from '@parley/api-client'
import type { Source } from '@parley/contracts'
import { freshDatabase } from '@parley/postgres/testing'
import { createLogger } from '../log/create-logger.ts'
import { addDemo, readDemoMarker } from './add-demo.ts'

const TOKEN = 'parley_made-up-token-of-the-owner'
const demo = new URL('../../../../demo/reflection.json', import.meta.url)

let baseUrl: string
const clearUp: (() => Promise<unknown>)[] = []
beforeAll(async () => {
  const { databaseUrl, drop } = await freshDatabase()
  const home = await newFolder()
  const logger = createLogger({ file: join(home, 'log') })
  const api = await startApi({ databaseUrl, home, port: 0, ownerToken: TOKEN, logger })
  baseUrl = api.url
  clearUp.push(drop, () => api.stop())
})
afterAll(async () => {
  for (const clear of clearUp.toReversed()) await clear()
})

async function newFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'parley-demo-'))
  clearUp.push(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** A client that fails at one request, before it is sent or after it was answered, and at all later ones. */
function createFailingClient(at: number, when: 'before' | 'after'): ApiClient {
  let requests = 0
  return createApiClient({
    baseUrl,
    token: TOKEN,
    async fetch(input, init) {
      requests += 1
      if (requests > at || (requests === at && when === 'before')) throw new Error('killed')
      const answer = await fetch(input, init)
      if (requests === at) throw new Error('killed')
      return answer
    },
  })
}

const client = () => createApiClient({ baseUrl, token: TOKEN })
const reflections = async () => (await client().reflections.list({ limit: 200 })).items
const readSources = async () => {
  const [only] = await reflections()
  return only ? (await client().reflections.sources({ reflectionId: only.id, limit: 200 })).items : []
}
const readPublishedNames = async () => {
  const [only] = await reflections()
  return only?.namespaces.flatMap(({ name, isPublished }) => (isPublished ? [name] : [])).toSorted()
}
const keyOf = ({ namespace, title }: Pick<Source, 'namespace' | 'title'>) => `${namespace}/${title}`

/** Adds the whole demo. No worker imports it, so the import is not awaited. */
async function addWholeDemo(from: ApiClient, home: string) {
  const stopping = new AbortController()
  const given = addDemo(from, home, stopping.signal).catch(() => undefined)
  const isComplete = async () => (await readDemoMarker(home))?.handedOver === 'wholly'
  await expect.poll(isComplete, { timeout: 60_000, interval: 10 }).toBe(true)
  stopping.abort()
  await given
}

async function removeReflections() {
  for (const { id } of await reflections()) await client().reflections.remove(id)
}

describe.runIf(existsSync(demo))('the demo', () => {
  let expected: { namespaces: { name: string; published: boolean }[]; sources: Source[] }
  let whole: readonly string[]
  let published: readonly string[]
  beforeAll(async () => {
    expected = (await import(demo.href, { with: { type: 'json' } })).default
    whole = expected.sources.map(keyOf).toSorted()
    published = expected.namespaces.flatMap((one) => (one.published ? [one.name] : [])).toSorted()
  })

  test.each(['before', 'after'] as const)(
    '[X4] is complete after the next start, if killed %s any request',
    { timeout: 120_000 },
    async (when) => {
      // The list, the reflection, its sources, each namespace, the published ones, then each source.
      for (const at of [1, 2, 3, 6, 9, 10, 17]) {
        await removeReflections()
        const home = await newFolder()
        await addDemo(createFailingClient(at, when), home, new AbortController().signal).catch(
          () => undefined,
        )
        expect([at, (await readSources()).length < whole.length]).toEqual([at, true])
        await addWholeDemo(client(), home)
        expect([at, await reflections()]).toMatchObject([at, [{ displayName: expect.any(String) }]])
        expect([at, (await readSources()).map(keyOf).toSorted()]).toEqual([at, whole])
        expect([at, await readPublishedNames()]).toEqual([at, published])
      }
    },
  )

  test('is added once, and never to a folder with reflections', async () => {
    await removeReflections()
    const home = await newFolder()
    await addWholeDemo(client(), home)
    await removeReflections()
    expect(await addDemo(client(), home, new AbortController().signal)).toBeUndefined()
    expect(await reflections()).toEqual([])
    await client().reflections.create({ displayName: 'Ada' })
    const other = await newFolder()
    expect(await addDemo(client(), other, new AbortController().signal)).toBeUndefined()
    expect(await readSources()).toEqual([])
  })

  test('is not restored after a partial removal', async () => {
    await removeReflections()
    const home = await newFolder()
    await addDemo(createFailingClient(10, 'after'), home, new AbortController().signal).catch(() => undefined)
    expect(await readDemoMarker(home)).toMatchObject({ handedOver: 'in_part' })
    await removeReflections()
    expect(await addDemo(client(), home, new AbortController().signal)).toBeUndefined()
    expect(await reflections()).toEqual([])
  })

  test.each(['{', '{"reflectionId":7}', '{"reflectionId":"rfl_0123456789ab"}'])(
    'counts as added with the marker %s',
    async (text) => {
      const home = await newFolder()
      await writeFile(join(home, 'demo.json'), text)
      expect(await addDemo(client(), home, new AbortController().signal)).toBeUndefined()
    },
  )
})
