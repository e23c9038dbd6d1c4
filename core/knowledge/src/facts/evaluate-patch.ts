import { type FactApproval, Fact, type FactId, type Finding } from '@parley/contracts'
import type { ActiveFact, CandidateFact, Evaluation } from '../ports/ingest-store.ts'
import { findContradictions } from './contradictions.ts'
import { type PersonNames, toEntityKey, isCreator } from './names.ts'
import { ONE_AT_A_TIME, PREDICATES_NAMING_PEOPLE } from './predicates.ts'

const MIN_CONFIDENCE = 0.5

interface EvaluationContext extends PersonNames {
  /** The text of the chunks that evidence names, by ordinal. */
  readonly chunks: ReadonlyMap<number, string>
  readonly active: readonly ActiveFact[]
  /** Facts that a person has corrected. */
  readonly corrected?: readonly ActiveFact[]
  readonly approval: FactApproval
}

/** Checks the facts of a patch. A fact is reported for the first rule that it breaks. */
export function evaluatePatch(facts: readonly CandidateFact[], context: EvaluationContext): Evaluation {
  const findings: Finding[] = []
  const rejected = new Set<FactId>()

  for (const fact of facts) {
    const finding = RULES.map((rule) => rule(fact, context)).find((found) => found !== undefined)
    if (!finding) continue
    findings.push({ factId: fact.id, ...finding })
    if (finding.severity === 'reject') rejected.add(fact.id)
  }
  const known = new Set<FactId>()
  for (const { factId, kind } of findDuplicates(facts, rejected, context)) {
    findings.push({ factId, severity: 'note', ...DUPLICATE[kind] })
    if (kind === 'known') known.add(factId)
    else rejected.add(factId)
  }
  const { contradictions, outdated, supersedes } = findContradictions(
    facts.filter(({ id }) => !rejected.has(id) && !known.has(id)),
    context.active,
  )
  findings.push(...contradictions)
  for (const factId of outdated) rejected.add(factId)

  return {
    verdict: decideVerdict(facts, findings, context.approval),
    findings,
    rejected: [...rejected],
    supersedes,
  }
}

type Rule = (fact: CandidateFact, context: EvaluationContext) => Omit<Finding, 'factId'> | undefined

const RULES: readonly Rule[] = [checkShape, checkEvidence, checkInjection, checkConfidence, checkPrivacy]

const Shape = Fact.pick({ subject: true, predicate: true, object: true, statement: true, confidence: true })

const MAX_LENGTHS = { subject: 200, predicate: 60, object: 600, statement: 1_000 }

function checkShape(fact: CandidateFact): ReturnType<Rule> {
  const parsed = Shape.safeParse(fact)
  if (!parsed.success) return createShapeFinding('A part of the fact is missing or invalid.')
  for (const [name, longest] of Object.entries(MAX_LENGTHS)) {
    const text = parsed.data[name as keyof typeof MAX_LENGTHS]
    if (text.trim() === '') return createShapeFinding(`The fact has no ${name}.`)
    if (text.length > longest) return createShapeFinding(`The ${name} is longer than ${longest} characters.`)
  }
  if (!/^[a-z]+(?:_[a-z]+)*$/.test(fact.predicate))
    return createShapeFinding('The predicate must be in snake case, such as lives_in.')
  if (fact.subjectKey !== toEntityKey(fact.subject) || fact.objectKey !== toEntityKey(fact.object))
    return createShapeFinding('The keys do not match the subject and object.')
  if ([fact.validFrom, fact.validTo].some((date) => date !== undefined && !isDate(date)))
    return createShapeFinding('A date must be a year, a month or a day, such as 2001-05-31.')
  return fact.validFrom !== undefined && fact.validTo !== undefined && fact.validTo < fact.validFrom
    ? createShapeFinding('The fact ends before it begins.')
    : undefined
}

const createShapeFinding = (message: string) => ({ rule: 'schema', severity: 'reject', message }) as const

const isDate = (date: string): boolean =>
  /^\d{4}(?:-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01]))?)?$/.test(date)

function checkEvidence({ evidence }: CandidateFact, { chunks }: EvaluationContext): ReturnType<Rule> {
  const isQuoted = ({ quote, chunk }: CandidateFact['evidence'][number]) =>
    quote.trim() !== '' && chunks.get(chunk)?.includes(quote) === true
  if (evidence.length > 0 && evidence.every(isQuoted)) return undefined
  return {
    rule: 'evidence',
    severity: 'reject',
    message: 'The supporting quote is not in the source.',
  }
}

function checkInjection({ subject, object, statement, evidence }: CandidateFact): ReturnType<Rule> {
  const problem = [subject, object, statement, ...evidence.map(({ quote }) => quote)]
    .map(findInjection)
    .find((found) => found !== undefined)
  return problem === undefined
    ? undefined
    : { rule: 'injection', severity: 'reject', message: `The text ${problem}.` }
}

function checkConfidence({ confidence }: CandidateFact): ReturnType<Rule> {
  return confidence >= MIN_CONFIDENCE
    ? undefined
    : {
        rule: 'confidence',
        severity: 'reject',
        message: `The confidence ${confidence} is below ${MIN_CONFIDENCE}.`,
      }
}

function checkPrivacy(fact: CandidateFact, context: EvaluationContext): ReturnType<Rule> {
  const { subject, predicate, object, statement, evidence } = fact
  const isAboutCreator = isCreator(subject, context)
  if (isAboutCreator && !PREDICATES_NAMING_PEOPLE.has(predicate)) return undefined
  const quotes = evidence.map(({ quote }) => quote)
  const text = [object, statement, ...quotes].join('\n')
  const personalData = findPersonalData(isAboutCreator ? '' : predicate, text)
  const other = isAboutCreator ? object : subject
  if (personalData !== undefined)
    return {
      rule: 'third_party',
      severity: 'ask',
      message: `About another person, ${other}: it may reveal ${personalData}.`,
    }
  if (isAboutCreator) return undefined
  return { rule: 'third_party', severity: 'note', message: `About another person, ${other}.` }
}

const DUPLICATE = {
  known: { rule: 'duplicate', message: 'Already known. This adds evidence.' },
  repeated: { rule: 'duplicate', message: 'Another fact of the patch says the same.' },
  corrected: { rule: 'correction', message: 'A person has corrected this fact since.' },
} as const

/** Finds facts that are already active, were corrected by a person, or repeat an earlier fact of the patch. */
function* findDuplicates(
  facts: readonly CandidateFact[],
  rejected: ReadonlySet<FactId>,
  { active, corrected = [] }: EvaluationContext,
): Generator<{ factId: FactId; kind: keyof typeof DUPLICATE }> {
  const known = new Set(active.flatMap(buildComparisonKeys))
  const wrong = new Set(corrected.flatMap(buildComparisonKeys))
  const seen = new Set<string>()
  for (const fact of facts) {
    if (rejected.has(fact.id)) continue
    const keys = buildComparisonKeys(fact)
    const key = keys.at(-1) ?? ''
    if (seen.has(key)) yield { factId: fact.id, kind: 'repeated' }
    else if (known.has(key)) yield { factId: fact.id, kind: 'known' }
    else if (wrong.has(key)) yield { factId: fact.id, kind: 'corrected' }
    for (const each of keys) seen.add(each)
  }
}

/** Keys for comparing facts: without the date and, if the fact can be true several times, with it. The last is its own. */
function buildComparisonKeys(fact: ActiveFact | CandidateFact): readonly string[] {
  const { subjectKey, predicate, objectKey, validFrom } = fact
  const undated = JSON.stringify([subjectKey, predicate, objectKey])
  if (validFrom === undefined || ONE_AT_A_TIME.has(predicate)) return [undated]
  return [undated, JSON.stringify([subjectKey, predicate, objectKey, validFrom])]
}

function decideVerdict(
  facts: readonly CandidateFact[],
  findings: readonly Finding[],
  approval: FactApproval,
): Evaluation['verdict'] {
  if (facts.length === 0) return 'approve'
  const refused = findings.filter(({ severity }) => severity === 'reject')
  const injections = refused.filter(({ rule }) => rule === 'injection')
  if (refused.length === facts.length || injections.length * 2 > facts.length) return 'reject'
  if (approval === 'by_person' || findings.some(({ severity }) => severity === 'ask')) return 'ask'
  return 'approve'
}

/** Finds personal data that only the person concerned may share. */
function findPersonalData(predicate: string, text: string): string | undefined {
  const byPredicate = BY_PREDICATE.get(predicate)
  if (byPredicate !== undefined) return byPredicate

  const dateless = text.replace(/\b(?:1\d|20)\d{2}-\d{2}(?:-\d{2})?\b/g, '')
  return PERSONAL.find(({ pattern }) => pattern.test(dateless))?.kind
}

const HEALTH = 'health data'
const BIRTH = 'a date of birth'

const BY_PREDICATE: ReadonlyMap<string, string> = new Map([
  ['born_on', BIRTH],
  ['aged', 'an age'],
  ['has_condition', HEALTH],
  ['allergic_to', HEALTH],
])

const PERSONAL: readonly { readonly kind: string; readonly pattern: RegExp }[] = [
  { kind: 'an e-mail address', pattern: /[^\s@<>()]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63})+/u },
  { kind: 'a telephone number', pattern: /(?<![\d.-])(?:\+|00)?\(?\d(?:[\s()/.-]{0,2}\d){7,14}(?![\d-])/ },
  { kind: 'a bank account', pattern: /\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}\b/ },
  {
    kind: 'a home address',
    pattern:
      /\b\d{1,4}[a-z]? (?:\p{Lu}[\p{L}'-]+ ){1,3}(?:Street|St|Road|Rd|Avenue|Ave|Lane|Drive|Close|Court|Square|Terrace|Way|Quay)\b|\b\p{Lu}[\p{L}-]*(?:straße|strasse|gasse|weg|platz|allee) \d{1,4}\b/u,
  },
  {
    kind: HEALTH,
    pattern:
      /\b(?:diagnos(?:ed|is)|cancer|tumou?r|leuka?emia|hiv|aids|diabet(?:es|ic)|depress(?:ion|ed)|bipolar|schizophreni[ac]|dementia|alzheimer|parkinson|epilep(?:sy|tic)|stroke|miscarriage|abortion|pregnan(?:t|cy)|alcoholi(?:c|sm)|addict(?:ed|ion)?|overdose|suicid(?:e|al)|chemotherapy|dialysis|psychiatr\w+|asthma|autis(?:m|tic)|adhd|anorexi[ac]|bulimi[ac]|epilepsy|arthritis|disabled|disabilit(?:y|ies)|wheelchair|surgery|rehab|therap(?:y|ist)|terminally ill|mental(?:ly)? (?:ill|health|illness)|burn-?out|krebs|depression(?:en)?|schwanger|krank)\b/i,
  },
  {
    kind: BIRTH,
    pattern:
      /\b(?:born|geboren)\b[^.;]{0,60}\b(?:1[89]|20)\d{2}\b|\b(?:birthday|date of birth|geburtstag)\b|\b\d{1,3} years old\b/i,
  },
  {
    kind: 'a crime',
    pattern:
      /\b(?:arrest(?:ed)?|convict(?:ed|ion)?|prison|jail(?:ed)?|criminal|crime|felony|theft|thief|stole|burglary|murder(?:ed|er)?|manslaughter|fraud|embezzl\w+|assault(?:ed)?|rape[ds]?|rapist|charged with|sentenced|parole|probation|police record|drug deal\w*|gefängnis|vorbestraft|verurteilt)\b/i,
  },
  {
    kind: 'a sexual orientation or affair',
    pattern:
      /\b(?:gay|lesbian|bisexual|homosexual|transgender|transsexual|trans (?:man|woman)|queer|sexual(?:ity| orientation)|an affair|slept with|sex life|schwul|lesbisch)\b/i,
  },
  {
    kind: 'a religion',
    pattern:
      /\b(?:muslim|islam|jew(?:ish)?|christian|catholic|protestant|hindu|buddhist|sikh|mormon|jehovah|atheist|orthodox|baptised|baptized|convert(?:ed)? to|religion|religious|devout|prays?|katholisch|evangelisch|jüdisch)\b/i,
  },
  {
    kind: 'financial data',
    pattern:
      /\b(?:salary|salaries|wages?|earns?|earned|paid [^.;]{0,20}\d|income|bankrupt(?:cy)?|debts?|in debt|mortgage|net worth|gehalt|verdient|schulden)\b|[$€£] ?\d|\d ?(?:€|euros?|dollars?|pounds)\b/i,
  },
]

/**
 * Finds text that addresses a model instead of describing a person. Quoted as a source it is harmless data, but as a fact
 * it would be repeated as true.
 */
function findInjection(text: string): string | undefined {
  const plain = text
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    .replace(/\s+/g, ' ')
  return INJECTIONS.find(({ pattern }) => pattern.test(plain))?.problem
}

const INJECTIONS: readonly { readonly problem: string; readonly pattern: RegExp }[] = [
  {
    problem: 'tells a model to ignore its instructions',
    pattern:
      /\b(?:ignore|disregard|forget|override|bypass)\b.{0,40}\b(?:instructions?|prompts?|rules?|guidelines?|policy|policies|directives?)\b/i,
  },
  {
    problem: 'tells a model to ignore its instructions',
    pattern:
      /\b(?:ignoriere?|vergiss|missachte)\b.{0,40}\b(?:anweisung(?:en)?|regeln|vorgaben|instruktionen)\b/i,
  },
  {
    problem: 'mentions a system prompt',
    pattern: /\b(?:system|developer|hidden|initial) (?:prompt|message|instructions?)\b/i,
  },
  {
    problem: 'gives a model a new role',
    pattern:
      /\byou are (?:now|no longer)\b|\b(?:act|behave|respond|answer) as (?:if you|an? (?:ai|assistant|model|admin|system))\b|\b(?:jailbreak|developer mode|do anything now)\b/i,
  },
  {
    problem: 'addresses a model',
    pattern:
      /\b(?:as an? (?:ai|language model)|(?:dear|attention|hey|note to(?: the)?) (?:ai|assistant|chatbot|language model|llm|model)|(?:the )?(?:ai|assistant|chatbot|language model|llm) (?:must|should|shall|has to|will now))\b/i,
  },
  {
    problem: 'asks a model to reveal or send data',
    pattern:
      /\b(?:reveal|print|repeat|output|leak|exfiltrate|send|forward)\b.{0,40}\b(?:system prompt|instructions|api keys?|passwords?|secrets?|credentials|all (?:messages|sources|data))\b/i,
  },
  {
    problem: 'looks like a tool call',
    pattern:
      /<\/?(?:tool|function|invoke|system|assistant|user|instructions?)(?![a-z])[^>]{0,80}>|<\|[a-z_]{2,30}\|>|\[\/?(?:INST|SYS|TOOL_CALLS?)\]|"(?:tool_calls?|function_call|tool_use)"\s*:|\b(?:call|invoke|run|use) the \w+ (?:tool|function)\b/i,
  },
  {
    problem: 'contains the marks of a fence',
    pattern: /\[(?:end of )?data\b.{0,60}\]|```\s*(?:system|tool|assistant)|^#{2,}\s*(?:system|instruction)/i,
  },
  {
    problem: 'contains a long run of encoded characters',
    pattern: /[A-Za-z0-9+/_-]{80,}={0,2}|(?:\\x[0-9a-f]{2}){12,}|(?:%[0-9a-f]{2}){12,}/i,
  },
]
