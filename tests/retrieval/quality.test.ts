import { setTimeout as pause } from 'node:timers/promises'
import type { EvidenceItem, ReflectionId } from '@parley/contracts'
import { retrieve, type RetrievalScope } from '@parley/knowledge'
import { type Database, openDatabase } from '@parley/postgres'
import { type FreshDatabase, freshDatabase } from '@parley/postgres/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type DemoQuestion,
  type DemoReflection,
  type ImportedDemo,
  importDemo,
  readDemoQuestions,
  readDemoReflection,
} from '../support/demo-reflection.ts'

let fresh: FreshDatabase
let database: Database
let reflectionId: ReflectionId
let capability: Uint8Array
let demo: DemoReflection
let questions: readonly DemoQuestion[]
let fileBySource: ImportedDemo['fileBySource']

beforeAll(async () => {
  fresh = await freshDatabase()
  database = await openDatabase(fresh)
  const ownerId = await database.tokens.ensureOwner({ tokenHash: Buffer.alloc(32, 7) })
  demo = await readDemoReflection()
  questions = await readDemoQuestions()
  ;({ reflectionId, fileBySource } = await importDemo(fresh.databaseUrl, ownerId))
  capability = await database.publicScopes.create({ sessionId: 'ses_visitor', reflectionId })
}, 150_000)

afterAll(async () => {
  await database.close()
  await fresh.drop()
})

async function searchEvidence(
  question: string,
  audience: 'public' | 'private',
): Promise<readonly EvidenceItem[]> {
  const person = { displayName: demo.displayName, creatorName: demo.creatorName }
  const scope: RetrievalScope =
    audience === 'public'
      ? { audience, reflectionId, publishRevision: 1, knowledgeRevision: 1, person, capability }
      : { audience, reflectionId, publishRevision: 1, knowledgeRevision: 1, person }
  const host = {
    retriever: database.retriever,
    clock: Date,
    wait: (_: number, signal: AbortSignal) => pause(60_000, undefined, { signal }).catch(() => undefined),
  }
  return (await retrieve({ query: question, limit: 5 }, scope, host)).evidence
}

const normalise = (text: string) => text.normalize('NFC').replace(/\s+/g, ' ').toLowerCase()

/** One of the first five results is from the right file and contains the quote. */
const isAnswered = ({ expect: quotes }: DemoQuestion, evidence: readonly EvidenceItem[]) =>
  quotes.some(({ file, quote }) =>
    evidence.some(
      ({ source, text }) =>
        fileBySource.get(source.id) === file && normalise(text).includes(normalise(quote)),
    ),
  )

async function measureRecall(asked: readonly DemoQuestion[]) {
  const missed: string[] = []
  for (const row of asked)
    if (!isAnswered(row, await searchEvidence(row.question, row.audience))) missed.push(row.question)
  return { recall: 1 - missed.length / asked.length, missed }
}

// Without embeddings, a question in other words than its source finds nothing.
test.each([
  ['public', 0.82],
  ['private', 0.74],
] as const)('[K5] recall at 5 of %s questions is at least %d', async (audience, least) => {
  const asked = questions.filter((row) => row.audience === audience)
  const { recall: score, missed } = await measureRecall(asked)
  expect(score, `${score.toFixed(2)}, missed: ${missed.join(' | ')}`).toBeGreaterThanOrEqual(least)
})

test('[K5] [X3] private questions find no private text in a public search', async () => {
  const { canaries } = demo
  const privateWords = [...questions.flatMap(({ tells = [] }) => tells), ...Object.values(canaries).flat()]
  for (const { question, expect: expected } of questions.filter(({ audience }) => audience === 'private')) {
    for (const { text, namespace, source } of await searchEvidence(question, 'public')) {
      expect(['work', 'public-letters']).toContain(namespace)
      expect(fileBySource.get(source.id)).toMatch(/^published\//)
      for (const { quote } of expected) expect(normalise(text)).not.toContain(normalise(quote))
      for (const word of privateWords) expect(normalise(text)).not.toContain(normalise(word))
    }
  }
})
