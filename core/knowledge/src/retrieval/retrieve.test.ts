import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { EvidenceItem, ReflectionId, RetrievalResult, SourceId } from '@parley/contracts'
import type { Embedder } from '../ports/embeddings-store.ts'
import type { Retriever, SearchRequest, Searcher, VectorSearchRequest } from '../ports/retriever.ts'
import { createMaskedEmbedder } from '../phases/embed-chunks.ts'
import { planSearch } from './plan-search.ts'
import type { RetrievalScope } from './retrieval-scope.ts'
import { createRetrievalCache } from './retrieval-cache.ts'
import { type RetrievalHost, retrieve, selectEvidence } from './retrieve.ts'

const item = (text: string, score = 1, given: Partial<EvidenceItem> = {}): EvidenceItem => ({
  kind: 'chunk',
  text,
  namespace: 'general',
  source: { id: 'src_1' as SourceId, title: 'Notes' },
  place: {},
  score,
  ...given,
})

const from = (id: string) => ({ source: { id: id as SourceId, title: id } })

const nthRequest = (n: number) => ({ query: `question ${n}`, limit: 2 })

const mine: RetrievalScope = {
  audience: 'private',
  reflectionId: 'rfl_1' as ReflectionId,
  publishRevision: 1,
  knowledgeRevision: 1,
}

/** Answers at once and records the searches. */
function createRetriever(evidence: readonly EvidenceItem[], isPartial = false) {
  const searches: { readonly who: 'private' | 'public'; readonly search: SearchRequest }[] = []
  const retriever: Retriever = {
    async searchPrivate(_id, _namespaces, search) {
      searches.push({ who: 'private', search })
      return { evidence, isPartial }
    },
    async searchPublic(_capability, search) {
      searches.push({ who: 'public', search })
      return { evidence, isPartial }
    },
  }
  return { retriever, searches }
}

const untilAborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))

const createHost = (retriever: Retriever, given: Partial<RetrievalHost> = {}): RetrievalHost => ({
  retriever,
  clock: { now: () => 0 },
  wait: (_ms, signal) => untilAborted(signal),
  ...given,
})

describe('the search plan', () => {
  test.each<[string, readonly string[]]>([
    ['Where does Ada Holm live?', ['ada holm']],
    ["What is Ada's boat called?", ['ada', 'boat']],
    ['who is mara', ['mara']],
    ['Did the Institute of Tides close?', ['institute of tides']],
    ['What about “The Long Ebb”?', ['long ebb']],
    ['Which boats does she own?', ['boats', 'boat']],
    ['tell me about the tide school', ['tide school', 'tide', 'school']],
  ])('%s', (query, expected) => {
    expect(planSearch(query, 8).entityKeys).toEqual(expect.arrayContaining([...expected]))
  })

  test('common words are not keys', () => {
    expect(planSearch('Where do you live and why?', 8).entityKeys).toEqual([])
  })

  test('keys are few, short and normalised', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 2_000 }), (query) => {
        const { entityKeys } = planSearch(query, 8)
        expect(entityKeys.length).toBeLessThanOrEqual(24)
        for (const key of entityKeys) expect(key).toMatch(/^\S.*$/u)
      }),
    )
  })
})

test('[K5] returns the best results, the requested number, and the time taken', async () => {
  const found = ['one', 'two', 'three', 'four'].map((text, index) => item(text, index))
  let now = 0
  const host = createHost(createRetriever(found).retriever, { clock: { now: () => (now += 5) } })
  expect(await retrieve({ query: 'q', limit: 2 }, mine, host)).toEqual({
    evidence: [found[3], found[2]],
    tookMs: 5,
  })
})

test('[V15] returns partial results as such, and does not cache them', async () => {
  const cache = createRetrievalCache({ now: () => 0 })
  const host = createHost(createRetriever([item('one')], true).retriever, { cache })
  const question = { query: 'q', limit: 2 }
  expect(await retrieve(question, mine, host)).toEqual({ evidence: [item('one')], partial: true, tookMs: 0 })
  expect(cache.find(mine, question)).toBeUndefined()
})

test('[V15] a timeout cancels the search and returns a partial result', async () => {
  let given: AbortSignal | undefined
  const retriever: Retriever = {
    searchPrivate: (_id, _namespaces, _search, signal) => {
      given = signal
      return new Promise((_, reject) =>
        signal.addEventListener('abort', () => reject(new Error('cancelled')), { once: true }),
      )
    },
    searchPublic: () => Promise.reject(new Error('not called')),
  }
  const cache = createRetrievalCache({ now: () => 0 })
  const waited: number[] = []
  const host = createHost(retriever, { cache, wait: async (ms) => void waited.push(ms) })
  const question = { query: 'q', limit: 2 }
  expect(await retrieve(question, mine, host)).toEqual({ evidence: [], partial: true, tookMs: 0 })
  expect(waited).toEqual([700])
  expect(given?.aborted).toBe(true)
  expect(cache.find(mine, question)).toBeUndefined()
})

test('a failed search throws, and so does an aborted one', async () => {
  const failing: Retriever = {
    searchPrivate: () => Promise.reject(new Error('no database')),
    searchPublic: () => Promise.reject(new Error('no database')),
  }
  await expect(retrieve({ query: 'q', limit: 2 }, mine, createHost(failing))).rejects.toThrow('no database')
  const gone = AbortSignal.abort(new Error('gone'))
  const host = createHost(createRetriever([]).retriever, { signal: gone })
  await expect(retrieve({ query: 'q', limit: 2 }, mine, host)).rejects.toThrow('gone')
})

test('[X3] a public question uses only the public search', async () => {
  const { retriever, searches } = createRetriever([])
  const scope: RetrievalScope = { ...mine, audience: 'public', capability: new Uint8Array(32) }
  await retrieve({ query: 'q', limit: 2 }, scope, createHost(retriever))
  expect(searches.map(({ who }) => who)).toEqual(['public'])
})

describe('the cache', () => {
  const question = { query: 'Where is the boat?', limit: 2 }
  const publicScope = (capability: number): RetrievalScope => ({
    ...mine,
    audience: 'public',
    capability: new Uint8Array(32).fill(capability),
  })

  test('[V15] answers the same question without a search, whatever its spaces and case', async () => {
    const { retriever, searches } = createRetriever([item('one')])
    const host = createHost(retriever, { cache: createRetrievalCache({ now: () => 0 }) })
    const first = await retrieve(question, mine, host)
    expect(await retrieve({ ...question, query: ' where is  the BOAT? ' }, mine, host)).toEqual(first)
    expect(searches).toHaveLength(1)
  })

  test.each<[string, RetrievalScope, RetrievalScope]>([
    ['another reflection', mine, { ...mine, reflectionId: 'rfl_2' as ReflectionId }],
    ['another audience', mine, publicScope(1)],
    ['another session', publicScope(1), publicScope(2)],
    ['other namespaces', mine, { ...mine, namespaces: ['work'] }],
    ['a later publish revision', mine, { ...mine, publishRevision: 2 }],
    ['changed facts', mine, { ...mine, knowledgeRevision: 2 }],
  ])('[V15] [P6] is not used for %s', (_, stored, requested) => {
    const cache = createRetrievalCache({ now: () => 0 })
    cache.keep(stored, question, [item('one')])
    expect(cache.find(requested, question)).toBeUndefined()
    expect(cache.find(stored, question)).toBeDefined()
  })

  test('[V15] drops entries after 90 seconds, and the least recently used above 1,000', () => {
    let now = 0
    const cache = createRetrievalCache({ now: () => now })
    for (let n = 0; n < 1_000; n += 1) cache.keep(mine, nthRequest(n), [])
    expect(cache.find(mine, nthRequest(0))).toEqual([])
    cache.keep(mine, nthRequest(1_000), [])
    expect(cache.find(mine, nthRequest(0))).toEqual([])
    expect(cache.find(mine, nthRequest(1))).toBeUndefined()
    now = 90_000
    expect(cache.find(mine, nthRequest(0))).toBeUndefined()
  })
})

describe('the selection', () => {
  test('contains no repetitions', () => {
    const found = [item('The boat is old.', 3), item('the boat is OLD', 2), item('The sea is cold.', 1)]
    expect(selectEvidence(found, 3).map(({ text }) => text)).toEqual(['The boat is old.', 'The sea is cold.'])
  })

  test('limits one source if others have results, and fills up with it otherwise', () => {
    const crowd = Array.from({ length: 8 }, (_, n) => item(`alpha ${n}`, 10 - n, from('src_a')))
    const other = item('beta', 1, from('src_b'))
    expect(selectEvidence([...crowd, other], 4)).toContainEqual(other)
    expect(selectEvidence(crowd, 4)).toHaveLength(4)
  })

  test('keeps different texts without words', () => {
    expect(selectEvidence([item('🌊'), item('⛵')], 4)).toHaveLength(2)
  })
})

const listTexts = ({ evidence }: RetrievalResult) => evidence.map(({ text }) => text)

describe('by vector', () => {
  const near = [item('near', 0.9, from('src_2'))]
  const embedder: Embedder = {
    model: 'local/any',
    embed: async (texts) => texts.map(() => Float32Array.of(1)),
  }

  /** Finds one result by words and another by vector. */
  function createBothSearches() {
    const words = createRetriever([item('said', 0.01)])
    const searches: VectorSearchRequest[] = []
    const byVector: Searcher<VectorSearchRequest> = {
      async searchPrivate(_id, _namespaces, search) {
        searches.push(search)
        return { evidence: near, isPartial: false }
      },
      searchPublic: async () => ({ evidence: [item('published', 0.9)], isPartial: false }),
    }
    return { retriever: { ...words.retriever, byVector }, searches }
  }
  const question = { query: ' What  is near? ', limit: 2 }

  test('[K5] adds vector results to word results', async () => {
    const { retriever, searches } = createBothSearches()
    const found = await retrieve(question, mine, createHost(retriever, { embedder }))
    expect(listTexts(found)).toEqual(['near', 'said'])
    expect(searches).toEqual([{ vector: Float32Array.of(1), model: 'local/any', limit: 6 }])
  })

  test('[X3] uses the public vector search for the public', async () => {
    const scope: RetrievalScope = { ...mine, audience: 'public', capability: new Uint8Array(32) }
    const found = await retrieve(question, scope, createHost(createBothSearches().retriever, { embedder }))
    expect(listTexts(found)).toEqual(['published', 'said'])
  })

  test('[K5] does not embed the question if the retriever has no vectors', async () => {
    const searches: unknown[] = []
    const embed: Embedder['embed'] = async (texts) => {
      searches.push(texts)
      return []
    }
    const host = createHost(createRetriever([item('said')]).retriever, { embedder: { ...embedder, embed } })
    expect(listTexts(await retrieve(question, mine, host))).toEqual(['said'])
    expect(searches).toEqual([])
  })

  test.each<[string, Embedder['embed'], number, unknown]>([
    ['fails', () => Promise.reject(new Error('no')), 0, new Error('no')],
    ['is late', (_texts, signal) => untilAborted(signal).then(() => []), 650, 'too late'],
  ])(
    '[V15] if the embedder %s, returns the word results, reports it and does not cache',
    async (_, embed, passed, reason) => {
      const cache = createRetrievalCache({ now: () => 0 })
      const missed: unknown[] = []
      const host = createHost(createBothSearches().retriever, {
        embedder: { ...embedder, embed },
        wait: (ms, signal) => (ms < passed ? Promise.resolve() : untilAborted(signal)),
        onVectorFailure: (failure) => missed.push(failure),
        cache,
      })
      const found = await retrieve(question, mine, host)
      expect(found).toEqual({ evidence: [item('said', 0.01)], tookMs: 0 })
      expect(missed).toEqual([reason])
      expect(cache.find(mine, question)).toBeUndefined()
    },
  )

  test('[V15] if the word search is late, returns the vector results as partial, and does not cache', async () => {
    const cache = createRetrievalCache({ now: () => 0 })
    const { retriever } = createBothSearches()
    const host = createHost(
      {
        ...retriever,
        searchPrivate: (_id, _names, _search, signal) =>
          untilAborted(signal).then(() => ({ evidence: [], isPartial: false })),
      },
      { embedder, cache, wait: (ms, signal) => (ms === 700 ? Promise.resolve() : untilAborted(signal)) },
    )
    const found = await retrieve(question, mine, host)
    expect([listTexts(found), found.partial]).toEqual([['near'], true])
    expect(cache.find(mine, question)).toBeUndefined()
  })

  test('[V15] uses only the remaining time of the caller', async () => {
    const waited: number[] = []
    const wait = async (ms: number, signal: AbortSignal) => {
      waited.push(ms)
      await untilAborted(signal)
    }
    await retrieve(
      question,
      mine,
      createHost(createBothSearches().retriever, { embedder, wait, budgetMs: 250 }),
    )
    expect(waited).toEqual([250, 250])
  })

  test('an aborted caller gets no result', async () => {
    const asking = new AbortController()
    const embed: Embedder['embed'] = async (_texts, signal) => {
      asking.abort(new Error('gone'))
      await untilAborted(signal)
      return []
    }
    const missed: unknown[] = []
    const given = { embedder: { ...embedder, embed }, signal: asking.signal }
    const host = createHost(createBothSearches().retriever, {
      ...given,
      onVectorFailure: (reason) => missed.push(reason),
    })
    await expect(retrieve(question, mine, host)).rejects.toThrow('gone')
    expect(missed).toEqual([])
  })
})

test('the embedder gets masked text', async () => {
  const seen: string[] = []
  const embed: Embedder['embed'] = async (texts) => {
    seen.push(...texts)
    return []
  }
  const masked = createMaskedEmbedder({ model: 'local/any', embed }, (text) =>
    text.replace('made-up', '[secret]'),
  )
  await masked.embed(['the made-up word'], new AbortController().signal)
  expect(seen).toEqual(['the [secret] word'])
  expect(masked.model).toBe('local/any')
})
