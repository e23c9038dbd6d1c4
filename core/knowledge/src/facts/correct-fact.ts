import type { FactId, PatchId } from '@parley/contracts'
import type { ActiveFact, CandidateFact, NewFact } from '../ports/ingest-store.ts'
import type { Correction, CorrectionRequest, LearningStore } from '../ports/reflection-store.ts'
import { evaluatePatch } from './evaluate-patch.ts'
import { createRuleExtractor } from './extract-facts.ts'
import { toEntityKey, isCreator } from './names.ts'
import { OPPOSITES } from './predicates.ts'

/** Creates the candidate that replaces a fact. A person always has to approve it. */
export async function correctFact(request: CorrectionRequest): Promise<Correction> {
  const { known, patchId, date } = request
  const { fact: factText, correction } = request.proposal
  if (!known) return createRejection(`No active fact matches “${factText}”. Use its id or its exact text.`)
  if (!hasStatement(correction))
    return createRejection(
      `“${correction}” does not say what is true instead. Write a sentence, such as “Ada lives in Bergen.”`,
    )
  const corrected = (await extractCorrection(request, known)) ?? useCorrectionText(known, correction)
  const evidence = [{ quote: correction, place: { date }, chunk: 1 }]
  const fact: CandidateFact = { ...corrected, id: toFactId(patchId), evidence }
  const { findings } = evaluatePatch([fact], {
    ...request,
    chunks: new Map([[1, correction]]),
    active: [],
    approval: 'by_person',
  })
  return {
    fact,
    evaluation: {
      verdict: 'ask',
      findings: [
        { factId: fact.id, rule: 'correction', severity: 'note', message: `Replaces: ${known.statement}` },
        { rule: 'correction', severity: 'note', message: WHERE_SHOWN },
        ...findings.map((finding) => ({ ...finding, severity: 'ask' as const })),
      ],
      rejected: [],
      supersedes: [{ factId: known.id, by: fact.id }],
    },
  }
}

/** Shown to the person who decides. */
const WHERE_SHOWN =
  'Once approved, its statement appears wherever the replaced fact did, also to the public if the folder is published. Only admins see its original words.'

/** A correction has one fact. Its id is derived from the patch id. */
const toFactId = (patchId: PatchId) => patchId.replace(/^pat_/, 'fct_') as FactId

const createRejection = (message: string): Correction => ({
  evaluation: {
    verdict: 'reject',
    findings: [{ rule: 'correction', severity: 'reject', message }],
    rejected: [],
    supersedes: [],
  },
})

/** Extracts a fact with the same predicate, or the opposite one, from the correction. */
async function extractCorrection(
  { proposal, displayName, creatorName }: CorrectionRequest,
  known: ActiveFact,
): Promise<NewFact | undefined> {
  const names = { displayName, ...(creatorName !== undefined && { creatorName }) }
  const chunk = { ordinal: 1, text: proposal.correction, place: {} }
  const facts = await createRuleExtractor().extract(
    [chunk],
    { ...names, title: '' },
    new AbortController().signal,
  )
  // The subject may be another name of the person: the reflection's name or a former one.
  const hasSameSubject = ({ subject, subjectKey }: NewFact) =>
    subjectKey === known.subjectKey || (isCreator(subject, names) && isCreator(known.subject, names))
  return facts.find(
    (fact) =>
      hasSameSubject(fact) &&
      (fact.predicate === known.predicate || OPPOSITES.get(fact.predicate) === known.predicate),
  )
}

const useCorrectionText = (
  { subject, predicate }: ActiveFact,
  correction: string,
): Omit<NewFact, 'evidence'> => ({
  subject,
  predicate,
  object: correction,
  statement: /[.!?…]$/.test(correction) ? correction : `${correction}.`,
  confidence: 0.9,
  subjectKey: toEntityKey(subject),
  objectKey: toEntityKey(correction),
})

/** Whether a text states more than "that is wrong". */
const hasStatement = (text: string): boolean =>
  text
    .toLowerCase()
    .replace(/['’]/g, '')
    .split(/[^\p{L}\p{N}]+/u)
    .some((word) => word !== '' && !EMPTY_WORDS.has(word))

const EMPTY_WORDS: ReadonlySet<string> = new Set(
  (
    'no nope nah not never yes well sorry please just simply really actually i you your he she they we it its that thats this ' +
    'is isnt was wasnt are arent were werent do dont does doesnt did didnt a an the fact so true right correct wrong false ' +
    'incorrect untrue mistaken mistake error lie at all any more anymore longer ever think know'
  ).split(' '),
)

/** Creates the patch of a queued correction. Idempotent. */
export async function proposeCorrection(patchId: PatchId, store: LearningStore): Promise<void> {
  const request = await store.readCorrection(patchId)
  if (request) await store.saveCorrection(request, await correctFact(request))
}
