import { freshDatabase } from '@parley/postgres/testing'
import { expect, onTestFinished, test } from 'vitest'
import { fillReflection } from './fill-reflection.ts'
import { openKnowledge } from './open-knowledge.ts'
import { createQuestions } from './questions.ts'
import { openRetrieveFloor } from './retrieve-floor.ts'
import { vocabulary } from './vocabulary.ts'

const words = vocabulary()

test('a filled reflection equals an imported one, and its questions find evidence for both audiences', async () => {
  const { databaseUrl, drop } = await freshDatabase()
  onTestFinished(drop)
  const knowledge = await openKnowledge(databaseUrl)
  onTestFinished(knowledge.close)
  const { owner, database, reflectionId } = knowledge
  await fillReflection(knowledge, words, { namespaces: 2, sourcesEach: 2, chunksEach: 30, factsEach: 10 })
  const count = async (what: string) =>
    Number((await owner.query(`select count(*) from ${what}`)).rows[0].count)
  expect(await count('chunks where is_current')).toBe(120)
  expect(await count(`facts where state = 'active'`)).toBe(40)
  expect(await count(`terms where word = '' and chunks = 60`)).toBe(2)

  const capability = await database.publicScopes.create({ sessionId: 'ses_1', reflectionId })
  const floor = await openRetrieveFloor(databaseUrl, { reflectionId, capability })
  onTestFinished(floor.close)
  const {
    words: [frequent = ''],
  } = words
  const search = { query: frequent, entityKeys: [], limit: 5 }
  const found = await floor.private(search)
  expect(found.rows).toHaveLength(5)
  expect((await floor.public(search)).rows).toEqual(found.rows)

  // Retiring all chunks removes exactly the words that were counted.
  await owner.query('select retire_chunks(id) from sources')
  expect(await count('terms')).toBe(0)
})

test('words, names and questions are the same in every run', () => {
  expect(vocabulary()).toEqual(words)
  expect(new Set(words.words).size).toBe(30_000)
  expect(createQuestions(words, 14)).toEqual(createQuestions(vocabulary(), 14))
  expect(new Set(createQuestions(words, 100)).size).toBeGreaterThan(80)
})
