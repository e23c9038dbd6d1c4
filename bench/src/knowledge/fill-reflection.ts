import type { NewFact } from '@parley/knowledge'
import type { OpenKnowledge } from './open-knowledge.ts'
import { PERSON } from './person.ts'
import { pickOne, type Random, createRandom, zipf } from './random.ts'
import { type Vocabulary, createWriter } from './vocabulary.ts'

export interface KnowledgeSize {
  readonly namespaces: number
  readonly sourcesEach: number
  readonly chunksEach: number
  readonly factsEach: number
}

type ReflectionRef = Omit<OpenKnowledge, 'close'>

/** Fills a reflection with imported sources of made-up text. Every namespace is published. */
export async function fillReflection(
  home: ReflectionRef,
  vocabulary: Vocabulary,
  size: KnowledgeSize,
): Promise<void> {
  const { reflections } = home.database
  const names = Array.from({ length: size.namespaces }, (_, n) => `shelf-${n + 1}`)
  for (const name of names) await reflections.addNamespace(home.reflectionId, name, PERSON)
  const left = names.entries()
  // Write the next source while the previous one is being applied.
  const writers = Array.from({ length: 3 }, async () => {
    for (const [index, namespace] of left) {
      for (let book = 1; book <= size.sourcesEach; book += 1) {
        const title = `Book ${book} of ${namespace}`
        await fillSource(home, { ...size, namespace, title, seed: index * 100 + book }, vocabulary)
      }
    }
  })
  await Promise.all(writers)
  await reflections.publish(home.reflectionId, names, PERSON)
}

interface FilledSource extends Pick<KnowledgeSize, 'chunksEach' | 'factsEach'> {
  readonly namespace: string
  readonly title: string
  readonly seed: number
}

async function fillSource(home: ReflectionRef, source: FilledSource, vocabulary: Vocabulary): Promise<void> {
  const { namespace, title, seed, chunksEach, factsEach } = source
  const { database, learning, owner, reflectionId } = home
  const bytes = new TextEncoder().encode(title)
  const given = { title, namespace, bytes, mediaType: 'text/plain' }
  const { id } = await database.reflections.addSource(reflectionId, given, PERSON)
  const run = await learning.ingest.openRun(id)
  if (!run) throw new Error(`The source "${title}" was already imported.`)
  const sentence = createWriter(vocabulary, seed)
  const chunks = Array.from({ length: chunksEach }, (_, n) => ({
    ordinal: n + 1,
    text: createChunk(sentence),
    place: { line: n * 12 + 1 },
  }))
  await learning.ingest.saveChunks(run, chunks)
  await learning.ingest.savePatch(run, createFacts(vocabulary, factsEach, createRandom(-seed)))
  // Like a patch that replaces nothing. A search for replaced facts would take minutes.
  await owner.query('select place_chunks($1)', [run.id])
  await owner.query(`update facts set state = 'active' where source_id = $1`, [id])
}

/** Length of a full chunk. */
const CHUNK_LENGTH = 900

function createChunk(sentence: () => string): string {
  let text = sentence()
  while (text.length < CHUNK_LENGTH) text += ` ${sentence()}`
  return text
}

/** Many facts of a person's sources are about the person. */
const OF_THE_PERSON = 0.3

const PREDICATES = 'lives_in works_as works_at is_friend_of met wrote owns likes visited studied_at'.split(
  ' ',
)

function createFacts({ words, names }: Vocabulary, count: number, random: Random): readonly NewFact[] {
  const anyName = zipf(names, random)
  return Array.from({ length: count }, (_, n) => {
    const subject = random() < OF_THE_PERSON ? (names[0] ?? '') : anyName()
    const object = random() < 0.5 ? anyName() : `the ${pickOne(words, random)} ${pickOne(words, random)}`
    const predicate = pickOne(PREDICATES, random)
    const statement = `${subject} ${predicate.replaceAll('_', ' ')} ${object}.`
    return {
      subject,
      predicate,
      object,
      statement,
      confidence: 0.9,
      subjectKey: subject.toLowerCase(),
      objectKey: object.replace(/^the /, '').toLowerCase(),
      evidence: [{ quote: statement, place: { line: n + 1 }, chunk: 1 }],
    }
  })
}
