import type { FactId, PatchId } from '@parley/contracts'
import type { ActiveFact, CandidateFact, NewFact } from '../ports/ingest-store.ts'
import type { CorrectionRequest, Correction, LearningStore } from '../ports/reflection-store.ts'
import { evaluatePatch } from './evaluate-patch.ts'
import { createRuleExtractor } from './extract-facts.ts'
import { entityKey, isCreator } from './names.ts'
import { OPPOSITES } from './predicates.ts'

/** Puts what a person said in the place of a fact. It always waits for a person, whatever the rules say to it. */
export async function correctFact(asked: CorrectionRequest): Promise<Correction> {
  const { known, patchId, date } = asked
  const { fact: meant, correction } = asked.asked
  if (!known)
    return rejected(
      `No active fact is like “${meant}”. Correct it by the id of a fact, or in words nearer to its own.`,
    )
  if (!statesSomething(correction))
    return rejected(
      `“${correction}” does not say how it is instead. Say it in a sentence, such as “Ada lives in Bergen.”`,
    )
  const said = (await factSaid(asked, known)) ?? inTheirWords(known, correction)
  const evidence = [{ quote: correction, place: { date }, chunk: 1 }]
  const fact: CandidateFact = { ...said, id: factIdOf(patchId), evidence }
  const { findings } = evaluatePatch([fact], {
    ...asked,
    chunks: new Map([[1, correction]]),
    active: [],
    approval: 'by_person',
  })
  const message = `It takes the place of: ${known.statement}`
  return {
    fact,
    evaluation: {
      verdict: 'ask',
      findings: [
        { factId: fact.id, rule: 'correction', severity: 'note', message },
        { rule: 'correction', severity: 'note', message: WHERE_TOLD },
        ...findings.map((finding) => ({ ...finding, severity: 'ask' as const })),
      ],
      rejected: [],
      supersedes: [{ factId: known.id, by: fact.id }],
    },
  }
}

/** For who decides. */
const WHERE_TOLD =
  'Once it is approved, its statement is told wherever the fact was that it takes the place of: to the public too, where that namespace is published. The words that it was said in are shown to admins alone.'

/** A correction has one fact, whose id follows from its patch's. */
const factIdOf = (patchId: PatchId) => patchId.replace(/^pat_/, 'fct_') as FactId

const rejected = (message: string): Correction => ({
  evaluation: {
    verdict: 'reject',
    findings: [{ rule: 'correction', severity: 'reject', message }],
    rejected: [],
    supersedes: [],
  },
})

/** The fact that the correction states by the rules, if it is of the same kind as the one that is corrected. */
async function factSaid(
  { asked, displayName, creatorName }: CorrectionRequest,
  known: ActiveFact,
): Promise<NewFact | undefined> {
  const names = { displayName, ...(creatorName !== undefined && { creatorName }) }
  const chunk = { ordinal: 1, text: asked.correction, place: {} }
  const facts = await createRuleExtractor().extract(
    [chunk],
    { ...names, title: '' },
    new AbortController().signal,
  )
  // A fact may be under another name of the person: the reflection's, or one from before.
  const isOfSame = ({ subject, subjectKey }: NewFact) =>
    subjectKey === known.subjectKey || (isCreator(subject, names) && isCreator(known.subject, names))
  return facts.find(
    (fact) =>
      isOfSame(fact) &&
      (fact.predicate === known.predicate || OPPOSITES.get(fact.predicate) === known.predicate),
  )
}

const inTheirWords = ({ subject, predicate }: ActiveFact, correction: string): Omit<NewFact, 'evidence'> => ({
  subject,
  predicate,
  object: correction,
  statement: /[.!?…]$/.test(correction) ? correction : `${correction}.`,
  confidence: 0.9,
  subjectKey: entityKey(subject),
  objectKey: entityKey(correction),
})

/** Whether a text states something: a mere "that is wrong" gives no correction. */
const statesSomething = (said: string): boolean =>
  said
    .toLowerCase()
    .replace(/['’]/g, '')
    .split(/[^\p{L}\p{N}]+/u)
    .some((word) => word !== '' && !SAYING_NOTHING.has(word))

const SAYING_NOTHING: ReadonlySet<string> = new Set(
  (
    'no nope nah not never yes well sorry please just simply really actually i you your he she they we it its that thats this ' +
    'is isnt was wasnt are arent were werent do dont does doesnt did didnt a an the fact so true right correct wrong false ' +
    'incorrect untrue mistaken mistake error lie at all any more anymore longer ever think know'
  ).split(' '),
)

/** Makes the patch of what a person wants corrected. It may be done again: the patch is made once. */
export async function proposeCorrection(patchId: PatchId, store: LearningStore): Promise<void> {
  const asked = await store.readCorrection(patchId)
  if (asked) await store.saveCorrection(asked, await correctFact(asked))
}
