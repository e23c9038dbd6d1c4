import { setTimeout as pause } from 'node:timers/promises'
import {
  type RetrievalScope,
  type Retriever,
  retrieve as retrieveContext,
  type SearchRequest,
} from '@parley/knowledge'
import { fillReflection } from '../knowledge/fill-reflection.ts'
import { type OpenKnowledge, openKnowledge } from '../knowledge/open-knowledge.ts'
import { createQuestions } from '../knowledge/questions.ts'
import { openRetrieveFloor } from '../knowledge/retrieve-floor.ts'
import { vocabulary } from '../knowledge/vocabulary.ts'
import { median, measureTime } from '../medians.ts'
import type { BenchRow } from '../row.ts'
import type { BenchCase, PostgresBench } from './bench-case.ts'

const SIZE = { namespaces: 20, sourcesEach: 2, chunksEach: 2_500, factsEach: 1_250 }
const QUESTIONS = 100

export const retrieve: BenchCase = {
  name: 'retrieve',
  what: 'evidence for a question from 100,000 chunks and 50,000 facts in 20 namespaces, for members and for the public; `p99`: the 99th percentile of a hundred questions',
  on: 'postgres',
  async measure(bench) {
    const knowledge = await openKnowledge(bench.databaseUrl)
    try {
      return await measureRetrieval(knowledge, bench)
    } finally {
      await knowledge.close()
    }
  },
}

async function measureRetrieval(
  knowledge: OpenKnowledge,
  { databaseUrl, medians, note }: PostgresBench,
): Promise<readonly BenchRow[]> {
  const { database, reflectionId, owner } = knowledge
  const { retriever, publicScopes } = database
  const words = vocabulary()
  const filled = await measureTime(() => fillReflection(knowledge, words, SIZE))
  note(`The reflection was filled in ${Math.ceil(filled / 1_000)} seconds.`)
  await owner.query('vacuum analyze chunks, facts, terms')

  const capability = await publicScopes.create({ sessionId: 'ses_bench', reflectionId })
  const scopes = {
    private: { audience: 'private', reflectionId, publishRevision: 1, knowledgeRevision: 1 },
    public: { audience: 'public', reflectionId, publishRevision: 1, knowledgeRevision: 1, capability },
  } as const
  const questions = createQuestions(words, QUESTIONS)
  const searches = await recordSearches(questions, scopes.private, retriever)
  const bare = await openRetrieveFloor(databaseUrl, { reflectionId, capability })
  const rows: BenchRow[] = []
  for (const audience of ['private', 'public'] as const) {
    const ours = createQuestionMeasure(questions, (question) =>
      retrieveEvidence(question, scopes[audience], retriever),
    )
    const floor = createQuestionMeasure(searches, bare[audience])
    const typical = await medians({ ours: ours.measure, floor: floor.measure })
    const slow = { ours: ours.p99(), floor: floor.p99() }
    rows.push(
      { case: `retrieve ${audience}`, unit: 'ms', ...typical, target: { atMost: 1.5 } },
      { case: `retrieve ${audience} p99`, unit: 'ms', ...slow, target: { oursBelow: 100 } },
    )
  }
  await bare.close()
  return rows
}

const retrieveEvidence = (query: string, scope: RetrievalScope, retriever: Retriever) =>
  retrieveContext({ query, limit: 8 }, scope, { retriever, clock: performance, wait })

const wait = (ms: number, signal: AbortSignal) => pause(ms, undefined, { signal }).catch(() => {})

/** Records our searches for the questions, so that the floor can run the same ones. */
async function recordSearches(
  questions: readonly string[],
  scope: RetrievalScope,
  retriever: Retriever,
): Promise<readonly SearchRequest[]> {
  const searches: SearchRequest[] = []
  const watched: Retriever = {
    ...retriever,
    searchPrivate(reflectionId, namespaces, search, signal) {
      searches.push(search)
      return retriever.searchPrivate(reflectionId, namespaces, search, signal)
    },
  }
  for (const question of questions) await retrieveEvidence(question, scope, watched)
  return searches
}

/** A round asks every question once and returns the median. `p99` is the median of the counted rounds. */
function createQuestionMeasure<Question>(
  questions: readonly Question[],
  ask: (question: Question) => Promise<unknown>,
) {
  const slow: number[] = []
  const measure = async () => {
    const times: number[] = []
    for (const question of questions) times.push(await measureTime(() => ask(question)))
    slow.push(times.toSorted((a, b) => a - b)[Math.ceil(times.length * 0.99) - 1] ?? Number.NaN)
    return median(times)
  }
  return { measure, p99: () => median(slow.slice(1)) }
}
