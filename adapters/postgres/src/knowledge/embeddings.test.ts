import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { ReflectionId } from '@parley/contracts'
import { type Embedder, embedChunks, retrieve } from '@parley/knowledge'
import { getErrorCode } from '../login/database-error.ts'
import { toRoleUrl } from '../login/database-url.ts'
import { runSql } from '../server/testing/test-cluster.ts'
import { PGVECTOR_URL, usePgvectorServer } from '../testing/test-server.ts'
import { ADA, BEN, type KnowledgeBase, openKnowledgeBase, ingestSource } from './testing/knowledge-base.ts'

const REFUSED = '42501'
const signal = new AbortController().signal

/** A text's vector is that of its topic. A topic has different words. */
const TOPICS = [/ferry|boat|harbour/i, /bread|oven|bake/i, /canary|sings|singing/i]

function topicEmbedder(model = 'local/topics') {
  const asked: string[] = []
  const embedder: Embedder = {
    model,
    async embed(texts) {
      asked.push(...texts)
      return texts.map((text) => Float32Array.from([...TOPICS.map((topic) => +topic.test(text)), 0.1]))
    },
  }
  return { ...embedder, asked }
}

describe.skipIf(!PGVECTOR_URL)('with pgvector', () => {
  let base: KnowledgeBase
  const embedder = topicEmbedder()

  beforeAll(async () => {
    usePgvectorServer()
    base = await openKnowledgeBase()
  })
  afterAll(() => base.close())

  const newReflection = async (): Promise<ReflectionId> =>
    (await base.database.reflections.create({ displayName: 'Ada', ownerId: ADA })).id

  const embedAll = (by: Embedder = embedder) =>
    embedChunks({ store: base.learning.embeddings, embedder: by, signal })

  const countVectors = async (reflectionId: ReflectionId) => {
    const kept = await runSql(
      base.databaseUrl,
      `select from chunk_embeddings join chunks using (run_id, ordinal) where reflection_id = '${reflectionId}'`,
    )
    return kept.length
  }

  const findNearest = (reflectionId: ReflectionId, text: string, namespaces?: readonly string[]) =>
    search((byVector, sought) => byVector.searchPrivate(reflectionId, namespaces, sought, signal), text)

  const findNearestPublic = (capability: Uint8Array, text: string) =>
    search((byVector, sought) => byVector.searchPublic(capability, sought, signal), text)

  type ByVector = NonNullable<KnowledgeBase['database']['retriever']['byVector']>
  async function search(
    ask: (
      by: ByVector,
      sought: Parameters<ByVector['searchPublic']>[1],
    ) => ReturnType<ByVector['searchPublic']>,
    text: string,
  ): Promise<readonly string[]> {
    const { byVector } = base.database.retriever
    const [vector] = await topicEmbedder().embed([text], signal)
    if (!byVector || !vector) throw new Error('There are no vectors')
    const { evidence } = await ask(byVector, { vector, model: embedder.model, limit: 10 })
    return evidence.filter(({ score }) => score > 0.5).map((item) => item.text)
  }

  test('[K5] a question finds passages that share no word with it, with their place', async () => {
    const reflectionId = await newReflection()
    await ingestSource(base, reflectionId, {
      chunks: ['She rowed to the harbour at dawn.', 'The oven was cold.'],
    })
    const question = { query: 'Which ferry?', limit: 3 }
    const scope = { audience: 'private', reflectionId, publishRevision: 0, knowledgeRevision: 0 } as const
    const host = { retriever: base.database.retriever, clock: performance, wait: waitUnlessAborted }
    expect((await retrieve(question, scope, { ...host, embedder })).evidence).toEqual([])
    await embedAll()
    expect((await retrieve(question, scope, host)).evidence).toEqual([])
    const { evidence } = await retrieve(question, scope, { ...host, embedder })
    expect(evidence[0]).toMatchObject({
      kind: 'chunk',
      text: 'She rowed to the harbour at dawn.',
      namespace: 'general',
      source: { title: 'Notes' },
      place: { line: 1 },
    })
  })

  test('[K5] searches only the requested namespaces of the reflection', async () => {
    const [mine, other] = [await newReflection(), await newReflection()]
    await base.database.reflections.addNamespace(mine, 'talks', ADA)
    await ingestSource(base, mine, { chunks: ['My boat.'] })
    await ingestSource(base, mine, { namespace: 'talks', chunks: ['A ferry, mentioned.'] })
    await ingestSource(base, other, { chunks: ['Another harbour.'] })
    await embedAll()
    expect(await findNearest(mine, 'boat')).toEqual(
      expect.arrayContaining(['My boat.', 'A ferry, mentioned.']),
    )
    expect(await findNearest(mine, 'boat')).toHaveLength(2)
    expect(await findNearest(mine, 'boat', ['talks'])).toEqual(['A ferry, mentioned.'])
    expect(await findNearest(mine, 'boat', [])).toEqual([])
  })

  test('[X3] the public finds the published passages, with the capability of a live session', async () => {
    const { reflections, publicScopes } = base.database
    const [mine, other] = [await newReflection(), await newReflection()]
    for (const reflectionId of [mine, other]) {
      await reflections.addNamespace(reflectionId, 'talks', ADA)
      await ingestSource(base, reflectionId, { chunks: ['The canary is private.'] })
      await ingestSource(base, reflectionId, {
        namespace: 'talks',
        chunks: [`The canary of ${reflectionId}.`],
      })
      await reflections.publish(reflectionId, ['talks'], ADA)
    }
    await embedAll()
    const capability = await publicScopes.create({ sessionId: `ses_${mine}`, reflectionId: mine })
    expect(await findNearestPublic(capability, 'singing')).toEqual([`The canary of ${mine}.`])
    expect(await findNearestPublic(new Uint8Array(32), 'singing')).toEqual([])
    await reflections.unpublish(mine, ['talks'], ADA)
    expect(await findNearestPublic(capability, 'singing')).toEqual([])
    await reflections.publish(mine, ['talks'], ADA)
    await publicScopes.end(`ses_${mine}`)
    expect(await findNearestPublic(capability, 'singing')).toEqual([])
  })

  test('[X3] a member finds passages of their namespaces, with their capability', async () => {
    const { reflections } = base.database
    const mine = await newReflection()
    await reflections.addNamespace(mine, 'talks', ADA)
    await ingestSource(base, mine, { chunks: ['The canary is private.'] })
    await ingestSource(base, mine, { namespace: 'talks', chunks: ['The canary of talks.'] })
    await embedAll()
    await reflections.setMember(mine, { personId: BEN, role: 'viewer', namespaces: ['talks'] }, ADA)
    const capability = (await reflections.findMember(mine, BEN))?.reach?.capability
    const found = await search(
      (byVector, sought) => byVector.searchPrivate(mine, undefined, sought, signal, capability),
      'singing',
    )
    expect(capability).toBeDefined()
    expect(found).toEqual(['The canary of talks.'])
  })

  test.each([
    ['parley_public', 'select * from public.chunk_embeddings'],
    ['parley_public', `select * from public.search_vectors('{}', '{1,2,3,4}', 'local/topics', 5)`],
    ['parley_serving', 'delete from chunk_embeddings'],
    ['parley_serving', `update chunk_embeddings set model = 'mine'`],
    ['parley_serving', `select * from gate.search_vectors('{1,2,3,4}', 'local/topics', 5)`],
    ['parley_learning', 'delete from chunk_embeddings'],
    ['parley_learning', `update chunk_embeddings set namespace_id = 'mine'`],
  ] as const)('[X3] %s is refused: %s', async (role, statement) => {
    const client = new Client(toRoleUrl(base.databaseUrl, role))
    await client.connect()
    onTestFinished(() => client.end())
    expect(await client.query(statement).then(() => 'done', getErrorCode)).toBe(REFUSED)
  })

  test('[X3] the public may call two functions, and the row policies bind the table’s owner too', async () => {
    const functions = await runSql(
      base.databaseUrl,
      `select p.oid::regprocedure::text as name from pg_proc p
       where pronamespace in ('public'::regnamespace, 'gate'::regnamespace)
         and has_function_privilege('parley_public', p.oid, 'execute') order by name`,
    )
    expect(functions.map(({ name }) => name)).toEqual([
      'gate.search(text,text[],integer)',
      'gate.search_vectors(real[],text,integer)',
    ])
    const forced = `select relforcerowsecurity as is_so from pg_class where relname = 'chunk_embeddings'`
    expect(await runSql(base.databaseUrl, forced)).toEqual([{ is_so: true }])
  })

  test('[X3] the public’s reader sees nothing without a scope', async () => {
    await ingestSource(base, await newReflection(), { chunks: ['The canary is private.'] })
    await embedAll()
    const owner = new Client(base.databaseUrl)
    await owner.connect()
    onTestFinished(() => owner.end())
    expect((await owner.query('select from chunk_embeddings')).rowCount).toBeGreaterThan(0)
    await owner.query('set role parley_reader')
    expect((await owner.query('select from chunk_embeddings')).rowCount).toBe(0)
  })

  test('[K5] each chunk is embedded once by each requested model', async () => {
    const reflectionId = await newReflection()
    await ingestSource(base, reflectionId, { chunks: Array.from({ length: 150 }, (_, n) => `Bread ${n}.`) })
    const first = topicEmbedder()
    await embedAll(first)
    expect(first.asked.filter((text) => text.startsWith('Bread'))).toHaveLength(150)
    expect(await countVectors(reflectionId)).toBe(150)
    const again = topicEmbedder()
    await embedAll(again)
    expect(again.asked).toEqual([])
    const other = topicEmbedder('local/others')
    await embedAll(other)
    expect(other.asked).toEqual(expect.arrayContaining(['Bread 0.', 'Bread 149.']))
    expect(await findNearest(reflectionId, 'oven')).toEqual([])
    await embedAll()
    expect(await findNearest(reflectionId, 'oven')).toHaveLength(10)
  })

  test('[K5] work done before a failure stays, and the next run continues after it', async () => {
    const reflectionId = await newReflection()
    await ingestSource(base, reflectionId, { chunks: Array.from({ length: 150 }, (_, n) => `Oven ${n}.`) })
    const failing = topicEmbedder()
    const embed = async (texts: readonly string[]) => {
      if (failing.asked.length > 0) throw new Error('The provider is gone')
      return failing.embed(texts, signal)
    }
    await expect(embedAll({ model: embedder.model, embed })).rejects.toThrow('The provider is gone')
    const done = await countVectors(reflectionId)
    expect(done).toBeGreaterThan(0)
    const rest = topicEmbedder()
    await embedAll(rest)
    expect(rest.asked).toHaveLength(150 - done)
  })

  test('[K5] only one worker embeds at a time', async () => {
    const outcome = await base.learning.embeddings.runExclusively(async () => {
      expect(await embedAll()).toBe('busy')
    })
    expect(outcome).toBe('done')
    expect(await embedAll()).toBe('done')
  })

  test('[K4] a new version replaces the old one in searches, and a removed source loses its vectors', async () => {
    const { reflections } = base.database
    const reflectionId = await newReflection()
    const sourceId = await ingestSource(base, reflectionId, { chunks: ['The old boat.'] })
    await embedAll()
    await ingestSource(base, reflectionId, { sourceId, chunks: ['The new ferry.'] })
    expect(await findNearest(reflectionId, 'harbour')).toEqual([])
    await embedAll()
    expect(await findNearest(reflectionId, 'harbour')).toEqual(['The new ferry.'])
    await reflections.removeSource(reflectionId, sourceId, ADA)
    await base.learning.learning.eraseSource(sourceId)
    expect(await countVectors(reflectionId)).toBe(0)
    expect(
      await runSql(
        base.databaseUrl,
        'select from chunk_embeddings e left join chunks c using (run_id, ordinal) where c.run_id is null',
      ),
    ).toEqual([])
  })

  test('[K4] a chunk that disappears while it is embedded is skipped', async () => {
    const reflectionId = await newReflection()
    const sourceId = await ingestSource(base, reflectionId, { chunks: ['A boat that goes.'] })
    const erasing: Embedder = {
      model: embedder.model,
      async embed(texts, execute) {
        await base.learning.learning.eraseSource(sourceId)
        return embedder.embed(texts, execute)
      },
    }
    await embedAll(erasing)
    expect(await countVectors(reflectionId)).toBe(0)
  })

  test('a removed reflection loses its vectors', async () => {
    const reflectionId = await newReflection()
    await ingestSource(base, reflectionId, { chunks: ['A boat.'] })
    await embedAll()
    await base.database.reflections.remove(reflectionId, ADA)
    expect(await findNearest(reflectionId, 'boat')).toEqual([])
    await base.learning.learning.eraseReflection(reflectionId)
    expect(await countVectors(reflectionId)).toBe(0)
  })
})

const waitUnlessAborted = (_ms: number, until: AbortSignal) =>
  new Promise<void>((resolve) => until.addEventListener('abort', () => resolve(), { once: true }))

// A server of your own may have pgvector.
test.skipIf(process.env.PARLEY_TEST_DATABASE_URL)(
  '[K5] without pgvector there is no search by vector and nothing to embed',
  async () => {
    const base = await openKnowledgeBase()
    const { databaseUrl, database, learning } = base
    expect(await runSql(databaseUrl, `select to_regclass('public.chunk_embeddings') as found`)).toEqual([
      { found: null },
    ])
    expect(database.retriever.byVector).toBeUndefined()
    expect(await learning.embeddings.listMissing('local/any', undefined, 5)).toEqual([])
    await base.close()
  },
)
