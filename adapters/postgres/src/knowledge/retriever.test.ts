import type { ReflectionId } from '@parley/contracts'
import { Client } from 'pg'
import { beforeAll, describe, expect, test } from 'vitest'
import { runSql, waitUntil } from '../server/testing/test-cluster.ts'
import { ADA, createFact, ingestSource, useKnowledgeBase } from './testing/knowledge-base.ts'

const base = await useKnowledgeBase()
let reflectionId: ReflectionId
let capability: Uint8Array

const PLACES = [
  'harbour',
  'mill',
  'orchard',
  'quarry',
  'lighthouse',
  'bakery',
  'chapel',
  'ferry',
  'market',
  'bridge',
]
const DEEDS = [
  'painted',
  'repaired',
  'sketched',
  'measured',
  'visited',
  'described',
  'remembered',
  'photographed',
]

/** Similar lines, as in a diary: each shares words with many others. */
const diary = Array.from({ length: 400 }, (_, day) => {
  const place = PLACES[day % PLACES.length]
  const deed = DEEDS[day % DEEDS.length]
  return `On day ${day} Ada went for a walk and ${deed} the ${place}. The weather was fine, and Ada wrote about the ${place} again.`
})

beforeAll(async () => {
  const { reflections, publicScopes } = base.database
  reflectionId = (await reflections.create({ displayName: 'Ada Holm', ownerId: ADA })).id
  await reflections.addNamespace(reflectionId, 'talks', ADA)
  await ingestSource(base, reflectionId, { title: 'Diary', chunks: diary })
  await ingestSource(base, reflectionId, {
    title: 'Letters',
    chunks: [
      'Dear Mara, the café in Kraków where we met has closed; its owner, old Kowalski, moved to the coast.',
      'My grandmother taught me celestial navigation when I was nine, on the roof of our house.',
      'I never told anybody that the lighthouse was sold for a single krone.',
    ],
    facts: [
      createFact('Ada', 'is_sister_of', 'Mara'),
      createFact('Mara', 'works_as', 'a glassblower'),
      createFact('Mara', 'lives_in', 'Gdańsk'),
      createFact('Kowalski', 'moved_to', 'the coast'),
    ],
  })
  await ingestSource(base, reflectionId, {
    namespace: 'talks',
    title: 'Talk in Bergen',
    chunks: ['Wooden boats last longer when they are tarred each spring, as I said in Bergen.'],
  })
  await reflections.publish(reflectionId, ['talks'], ADA)
  capability = await publicScopes.create({ sessionId: 'ses_public', reflectionId })
  await runSql(base.databaseUrl, 'analyze')
})

const never = new AbortController().signal
const search = async (asked: string, entityKeys: readonly string[] = [], namespaces?: readonly string[]) => {
  const { retriever } = base.database
  const sought = { query: asked, entityKeys, limit: 5 }
  return (await retriever.searchPrivate(reflectionId, namespaces, sought, never)).evidence
}

describe('[K5] a question finds its answer', () => {
  test.each([
    ['Who taught you celestial navigation?', 'celestial navigation'],
    ['What did your grandmother teach you on the roof?', 'celestial navigation'],
    ['where did you meet Mara', 'café in Kraków'],
    ['the cafe in Krakow', 'café in Kraków'],
    ['who owned the coffee place, was it Kowalsky?', 'Kowalski'],
    ['selestial navigashun celestal', 'celestial navigation'],
    ['How do I make wooden boats last longer?', 'Wooden boats'],
    ['What was on day 217?', 'On day 217 '],
    ['for how much was the lighthouse sold', 'single krone'],
    ['What happened to the lighthouse? Was it sold for a krone?', 'single krone'],
    [`boats & tar | !spring <-> "it's" \\ ' ) (`, 'Wooden boats'],
  ])('%s', async (asked, expected) => {
    const found = await search(asked)
    expect(
      found
        .slice(0, 3)
        .map(({ text }) => text)
        .join('\n'),
    ).toContain(expected)
  })

  test('with its place', async () => {
    const [findFirst] = await search('celestial navigation')
    expect(findFirst).toMatchObject({
      kind: 'chunk',
      namespace: 'general',
      source: { title: 'Letters', id: expect.stringMatching(/^src_/) },
      place: { line: 2 },
      score: expect.any(Number),
    })
  })

  test('with facts within two hops of the people it names', async () => {
    const found = await search('What does the sister of Ada do?', ['ada'])
    const facts = found.filter(({ kind }) => kind === 'fact').map(({ text }) => text)
    expect(facts).toContain('Ada is sister of Mara.')
    expect(facts).toContain('Mara works as a glassblower.')
  })

  test.each(['', '   ', 'the of and', '\0', 'xylophone quux', '?!'])('or nothing: %j', async (asked) => {
    expect(await search(asked)).toEqual([])
  })
})

describe('[V5] searches of confidential conversations', () => {
  let id: ReflectionId
  const sought = { query: 'Who broke a leg in Oslo?', entityKeys: ['grace'], limit: 3 }
  const findKinds = async (onlyFactsOf: readonly string[], namespaces?: readonly string[]) => {
    const asked = { ...sought, onlyFactsOf }
    const { evidence } = await base.database.retriever.searchPrivate(id, namespaces, asked, never)
    return evidence.map(({ kind, namespace }) => `${kind} of ${namespace}`).toSorted()
  }
  beforeAll(async () => {
    ;({ id } = await base.database.reflections.create({ displayName: 'Vera Lund', ownerId: ADA }))
    const said = Array.from(
      { length: 30 },
      (_, n) => `Person: I broke my leg in Oslo, and that was visit ${n}.`,
    )
    await ingestSource(base, id, {
      namespace: 'conversations',
      chunks: said,
      facts: [createFact('Grace', 'broke', 'a leg')],
    })
    await ingestSource(base, id, {
      chunks: ['A leg of the table in Oslo was broken, of which much was written then.'],
    })
  })

  test('find facts but no quotes, and do not displace other results', async () => {
    expect(await findKinds(['conversations'])).toEqual(['chunk of general', 'fact of conversations'])
    expect(await findKinds(['conversations'], ['conversations'])).toEqual(['fact of conversations'])
  })

  test('find quotes for people who may read them', async () => {
    expect(await findKinds([])).toContain('chunk of conversations')
  })
})

describe('[K5] ranking', () => {
  let id: ReflectionId
  beforeAll(async () => {
    ;({ id } = await base.database.reflections.create({ displayName: 'Vera Lund', ownerId: ADA }))
    const others = Array.from({ length: 80 }, (_, n) => createFact('Vera Lund', 'met', `Person ${n}`))
    await ingestSource(base, id, {
      chunks: ['I live in Oslo, and I live well. Where else would I live?', 'What the hell was that?'],
      facts: [...others, createFact('Mara', 'lives_in', 'Rome')],
    })
    await ingestSource(base, id, {
      chunks: ['Later notes.'],
      facts: [createFact('Vera Lund', 'lives_in', 'Bergen'), createFact('Vera Lund', 'works_as', 'a pilot')],
    })
  })
  const first = async (asked: string, entityKeys: readonly string[]) =>
    (
      await base.database.retriever.searchPrivate(
        id,
        undefined,
        { query: asked, entityKeys, limit: 3 },
        never,
      )
    ).evidence

  test('a current fact comes before an old statement of a source', async () => {
    const [best] = await first('Where do you live?', ['vera lund'])
    expect(best).toMatchObject({ kind: 'fact', text: 'Vera Lund lives in Bergen.' })
  })

  test('a fact that says who somebody is comes before other facts about them', async () => {
    const [best] = await first('Who are you?', ['vera lund'])
    expect(best?.text).toBe('Vera Lund works as a pilot.')
  })

  test('a similar word counts for little', async () => {
    const [exact] = await first('hell', [])
    const [alike] = await first('hello', [])
    expect(alike?.score ?? 0).toBeLessThan((exact?.score ?? 0) / 2)
    expect(await first('hermit', [])).toEqual([])
  })
})

describe('[K5] text without spaces between its words', () => {
  let id: ReflectionId
  beforeAll(async () => {
    ;({ id } = await base.database.reflections.create({ displayName: 'Vera Lund', ownerId: ADA }))
    const chunks = [
      '私は東京に住んでいます。猫が二匹います。',
      '我在上海的一所大学教历史。',
      '저는 부산에서 태어났습니다.',
      'ฉันทำงานที่โรงพยาบาลในเชียงใหม่',
      'In Tokyo東京 I drank tea, in ｶﾀｶﾅ.',
    ]
    await ingestSource(base, id, { chunks, facts: [createFact('小林', 'lives_in', '京都市')] })
  })

  test.each([
    ['東京に住んでいますか？', '私は東京'],
    ['猫', '猫が二匹'],
    ['你在哪所大学教书？', '上海的一所大学'],
    ['어디에서 태어났어요?', '부산에서'],
    ['ทำงานที่ไหน', 'โรงพยาบาล'],
    ['カタカナ', 'ｶﾀｶﾅ'],
    ['京都', '京都市'],
  ])('%s', async (asked, expected) => {
    const { evidence } = await base.database.retriever.searchPrivate(
      id,
      undefined,
      { query: asked, entityKeys: [], limit: 3 },
      never,
    )
    expect(evidence[0]?.text).toContain(expected)
  })
})

test('[K5] only the requested namespaces are searched', async () => {
  expect(await search('celestial navigation', [], ['talks'])).toEqual([])
  expect(await search('wooden boats', [], ['talks'])).toHaveLength(1)
  expect(await search('wooden boats', [], [])).toEqual([])
  expect(await search('wooden boats', [], ['nowhere'])).toEqual([])
  const other = await base.database.reflections.create({ displayName: 'Ben', ownerId: ADA })
  const elsewhere = { query: 'wooden boats', entityKeys: [], limit: 5 }
  const { evidence } = await base.database.retriever.searchPrivate(other.id, undefined, elsewhere, never)
  expect(evidence).toEqual([])
})

test('[X3] the public finds published content and nothing else, by any word or name', async () => {
  const { retriever } = base.database
  const ask = async (asked: string, entityKeys: readonly string[] = []) =>
    (await retriever.searchPublic(capability, { query: asked, entityKeys, limit: 50 }, never)).evidence
  expect(await ask('wooden boats')).toMatchObject([
    { namespace: 'talks', source: { title: 'Talk in Bergen' } },
  ])
  for (const asked of ['celestial navigation', 'lighthouse krone', 'Kowalsky', diary[17] ?? '']) {
    const found = await ask(asked, ['ada', 'mara', 'kowalski'])
    expect(found.filter(({ namespace }) => namespace !== 'talks')).toEqual([])
    expect(found.filter(({ kind }) => kind === 'fact')).toEqual([])
  }
})

const searchTheremin = async () =>
  (await search('theremin cv', ['ada'])).filter(({ text }) => text.includes('theremin'))

test('a superseded fact and a waiting fact are not found', async () => {
  const told = { title: 'CV', facts: [createFact('Ada', 'plays', 'the theremin')] }
  const sourceId = await ingestSource(base, reflectionId, { ...told, chunks: ['CV, one'], verdict: 'ask' })
  expect(await searchTheremin()).toEqual([])
  await ingestSource(base, reflectionId, { ...told, chunks: ['CV, two'], sourceId })
  expect(await searchTheremin()).toHaveLength(1)
  await ingestSource(base, reflectionId, { title: 'CV', chunks: ['CV, three'], sourceId })
  expect(await searchTheremin()).toEqual([])
})

test('an aborted caller stops waiting', async () => {
  const aborted = AbortSignal.abort(new Error('no longer needed'))
  const asked = { query: 'boats', entityKeys: [], limit: 5 }
  const { retriever } = base.database
  await expect(retriever.searchPrivate(reflectionId, undefined, asked, aborted)).rejects.toThrow('no longer')
  const leaving = new AbortController()
  const searching = retriever.searchPublic(capability, asked, leaving.signal)
  leaving.abort(new Error('no longer needed'))
  await expect(searching).rejects.toThrow('no longer')
  expect((await retriever.searchPublic(capability, asked, never)).evidence).toHaveLength(1)
})

/** Locks the table against reads while the work runs. */
async function runWhileLocked<Outcome>(table: string, work: () => Promise<Outcome>): Promise<Outcome> {
  const holder = new Client(base.databaseUrl)
  await holder.connect()
  try {
    await holder.query(`begin; lock table ${table} in access exclusive mode`)
    return await work()
  } finally {
    await holder.end()
  }
}

const whoIsMara = { query: 'Who is Mara, the glassblower?', entityKeys: ['mara'], limit: 5 }

describe('[V15] a search that runs out of time', () => {
  test('returns the facts found so far and says that it is partial', async () => {
    const { retriever } = base.database
    const { evidence, isPartial } = await runWhileLocked('chunks', () =>
      retriever.searchPrivate(reflectionId, undefined, whoIsMara, never),
    )
    expect(isPartial).toBe(true)
    expect(new Set(evidence.map(({ kind }) => kind))).toEqual(new Set(['fact']))
    expect(evidence.map(({ text }) => text)).toContain('Mara works as a glassblower.')
  })

  test('returns facts to the public too', async () => {
    await ingestSource(base, reflectionId, {
      namespace: 'talks',
      title: 'Talk in Oslo',
      chunks: ['Of glass and fire.'],
      facts: [createFact('Mara', 'spoke_in', 'Oslo')],
    })
    const { evidence, isPartial } = await runWhileLocked('chunks', () =>
      base.database.retriever.searchPublic(capability, whoIsMara, never),
    )
    expect(isPartial).toBe(true)
    expect(evidence.map(({ text }) => text)).toEqual(['Mara spoke in Oslo.'])
  })

  test('may return nothing', async () => {
    const { evidence, isPartial } = await runWhileLocked('facts', () =>
      base.database.retriever.searchPrivate(reflectionId, undefined, whoIsMara, never),
    )
    expect(isPartial).toBe(true)
    expect(evidence).toEqual([])
  })

  test('leaves its connections usable for a complete next search', async () => {
    const { retriever } = base.database
    const { evidence, isPartial } = await retriever.searchPrivate(reflectionId, undefined, whoIsMara, never)
    expect(isPartial).toBe(false)
    expect(new Set(evidence.map(({ kind }) => kind))).toEqual(new Set(['chunk', 'fact']))
  })
})

test('[K5] a question of many thousand words is answered', async () => {
  const asked = `${'wooden boats '.repeat(5_000)} ${diary.join(' ')}`
  const keys = Array.from({ length: 2_000 }, (_, n) => `key ${n}`)
  expect((await search(asked, keys, ['talks']))[0]?.text).toContain('Wooden boats')
})

const readTrace = () =>
  runSql(
    base.databaseUrl,
    `select audience, json_array_length(found) as found from retrieval_traces
     where reflection_id = '${reflectionId}' and query = 'celestial navigation' limit 1`,
  )

test('[K5] the question and its results are recorded', async () => {
  await search('celestial navigation')
  await waitUntil(async () => (await readTrace()).length > 0)
  expect(await readTrace()).toEqual([{ audience: 'private', found: 1 }])
})
