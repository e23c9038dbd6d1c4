import { type Approval, Fact, type FactId, type Finding } from '@parley/contracts'
import type { ActiveFact, CandidateFact, Evaluation } from '../ports/ingest-store.ts'
import { contradictionsIn } from './contradictions.ts'
import { entityKey, isCreator } from './names.ts'
import { PREDICATES_NAMING_PEOPLE, ONE_AT_A_TIME } from './predicates.ts'

/** What of another person's life is theirs to tell, by what a fact says or the words that bear it out. */
function personalDataIn(predicate: string, text: string): string | undefined {
  const said = BY_PREDICATE.get(predicate)
  if (said !== undefined) return said

  const dateless = text.replace(/\b(?:1\d|20)\d{2}-\d{2}(?:-\d{2})?\b/g, '')
  return PERSONAL.find(({ pattern }) => pattern.test(dateless))?.what
}

const HEALTH = 'something of their health'
const BIRTH = 'when they were born'

const BY_PREDICATE: ReadonlyMap<string, string> = new Map([
  ['born_on', BIRTH],
  ['aged', 'how old they are'],
  ['has_condition', HEALTH],
  ['allergic_to', HEALTH],
])

const PERSONAL: readonly { readonly what: string; readonly pattern: RegExp }[] = [
  { what: 'an e-mail address', pattern: /[^\s@<>()]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63})+/u },
  { what: 'a telephone number', pattern: /(?<![\d.-])(?:\+|00)?\(?\d(?:[\s()/.-]{0,2}\d){7,14}(?![\d-])/ },
  { what: 'a bank account', pattern: /\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}\b/ },
  {
    what: 'a home address',
    pattern:
      /\b\d{1,4}[a-z]? (?:\p{Lu}[\p{L}'-]+ ){1,3}(?:Street|St|Road|Rd|Avenue|Ave|Lane|Drive|Close|Court|Square|Terrace|Way|Quay)\b|\b\p{Lu}[\p{L}-]*(?:straße|strasse|gasse|weg|platz|allee) \d{1,4}\b/u,
  },
  {
    what: HEALTH,
    pattern:
      /\b(?:diagnos(?:ed|is)|cancer|tumou?r|leuka?emia|hiv|aids|diabet(?:es|ic)|depress(?:ion|ed)|bipolar|schizophreni[ac]|dementia|alzheimer|parkinson|epilep(?:sy|tic)|stroke|miscarriage|abortion|pregnan(?:t|cy)|alcoholi(?:c|sm)|addict(?:ed|ion)?|overdose|suicid(?:e|al)|chemotherapy|dialysis|psychiatr\w+|asthma|autis(?:m|tic)|adhd|anorexi[ac]|bulimi[ac]|epilepsy|arthritis|disabled|disabilit(?:y|ies)|wheelchair|surgery|rehab|therap(?:y|ist)|terminally ill|mental(?:ly)? (?:ill|health|illness)|burn-?out|krebs|depression(?:en)?|schwanger|krank)\b/i,
  },
  {
    what: BIRTH,
    pattern:
      /\b(?:born|geboren)\b[^.;]{0,60}\b(?:1[89]|20)\d{2}\b|\b(?:birthday|date of birth|geburtstag)\b|\b\d{1,3} years old\b/i,
  },
  {
    what: 'something of a crime',
    pattern:
      /\b(?:arrest(?:ed)?|convict(?:ed|ion)?|prison|jail(?:ed)?|criminal|crime|felony|theft|thief|stole|burglary|murder(?:ed|er)?|manslaughter|fraud|embezzl\w+|assault(?:ed)?|rape[ds]?|rapist|charged with|sentenced|parole|probation|police record|drug deal\w*|gefängnis|vorbestraft|verurteilt)\b/i,
  },
  {
    what: 'something of their sexuality',
    pattern:
      /\b(?:gay|lesbian|bisexual|homosexual|transgender|transsexual|trans (?:man|woman)|queer|sexual(?:ity| orientation)|an affair|slept with|sex life|schwul|lesbisch)\b/i,
  },
  {
    what: 'something of their religion',
    pattern:
      /\b(?:muslim|islam|jew(?:ish)?|christian|catholic|protestant|hindu|buddhist|sikh|mormon|jehovah|atheist|orthodox|baptised|baptized|convert(?:ed)? to|religion|religious|devout|prays?|katholisch|evangelisch|jüdisch)\b/i,
  },
  {
    what: 'something of their money',
    pattern:
      /\b(?:salary|salaries|wages?|earns?|earned|paid [^.;]{0,20}\d|income|bankrupt(?:cy)?|debts?|in debt|mortgage|net worth|gehalt|verdient|schulden)\b|[$€£] ?\d|\d ?(?:€|euros?|dollars?|pounds)\b/i,
  },
]

/**
 * What speaks to a model rather than of a person. A text that speaks so is data all the same wherever it is quoted; as a
 * fact it would be repeated as true.
 */
function injectionIn(text: string): string | undefined {
  const plain = text
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    .replace(/\s+/g, ' ')
  return INJECTIONS.find(({ pattern }) => pattern.test(plain))?.what
}

const INJECTIONS: readonly { readonly what: string; readonly pattern: RegExp }[] = [
  {
    what: 'tells a model to set its instructions aside',
    pattern:
      /\b(?:ignore|disregard|forget|override|bypass)\b.{0,40}\b(?:instructions?|prompts?|rules?|guidelines?|policy|policies|directives?)\b/i,
  },
  {
    what: 'tells a model to set its instructions aside',
    pattern:
      /\b(?:ignoriere?|vergiss|missachte)\b.{0,40}\b(?:anweisung(?:en)?|regeln|vorgaben|instruktionen)\b/i,
  },
  {
    what: 'speaks of a system prompt',
    pattern: /\b(?:system|developer|hidden|initial) (?:prompt|message|instructions?)\b/i,
  },
  {
    what: 'gives a model a new part to play',
    pattern:
      /\byou are (?:now|no longer)\b|\b(?:act|behave|respond|answer) as (?:if you|an? (?:ai|assistant|model|admin|system))\b|\b(?:jailbreak|developer mode|do anything now)\b/i,
  },
  {
    what: 'addresses a model',
    pattern:
      /\b(?:as an? (?:ai|language model)|(?:dear|attention|hey|note to(?: the)?) (?:ai|assistant|chatbot|language model|llm|model)|(?:the )?(?:ai|assistant|chatbot|language model|llm) (?:must|should|shall|has to|will now))\b/i,
  },
  {
    what: 'tells a model what to reveal or to whom to send it',
    pattern:
      /\b(?:reveal|print|repeat|output|leak|exfiltrate|send|forward)\b.{0,40}\b(?:system prompt|instructions|api keys?|passwords?|secrets?|credentials|all (?:messages|sources|data))\b/i,
  },
  {
    what: 'looks like a call of a tool',
    pattern:
      /<\/?(?:tool|function|invoke|system|assistant|user|instructions?)(?![a-z])[^>]{0,80}>|<\|[a-z_]{2,30}\|>|\[\/?(?:INST|SYS|TOOL_CALLS?)\]|"(?:tool_calls?|function_call|tool_use)"\s*:|\b(?:call|invoke|run|use) the \w+ (?:tool|function)\b/i,
  },
  {
    what: 'bears the marks of a fence',
    pattern: /\[(?:end of )?data\b.{0,60}\]|```\s*(?:system|tool|assistant)|^#{2,}\s*(?:system|instruction)/i,
  },
  {
    what: 'holds a long run of encoded characters',
    pattern: /[A-Za-z0-9+/_-]{80,}={0,2}|(?:\\x[0-9a-f]{2}){12,}|(?:%[0-9a-f]{2}){12,}/i,
  },
]

const LEAST_CONFIDENCE = 0.5

export interface EvaluationContext {
  /** The text of the chunks that evidence names, by ordinal. */
  readonly chunks: ReadonlyMap<number, string>
  readonly active: readonly ActiveFact[]
  /** What a person has said is not so. */
  readonly corrected?: readonly ActiveFact[]
  readonly displayName: string
  readonly creatorName?: string
  readonly approval: Approval
}

/** Holds the facts of a patch against the rules. Each fact is left out for the first rule that it breaks. */
export function evaluatePatch(facts: readonly CandidateFact[], context: EvaluationContext): Evaluation {
  const findings: Finding[] = []
  const rejected = new Set<FactId>()
  const find = (finding: Finding) => {
    findings.push(finding)
    if (finding.severity === 'reject' && finding.factId !== undefined) rejected.add(finding.factId)
  }

  for (const fact of facts) {
    const broken = RULES.map((rule) => rule(fact, context)).find((finding) => finding !== undefined)
    if (broken) find({ factId: fact.id, ...broken })
  }
  const known = new Set<FactId>()
  for (const { factId, kind } of duplicatesIn(facts, rejected, context)) {
    findings.push({ factId, severity: 'note', ...DUPLICATE[kind] })
    if (kind === 'known') known.add(factId)
    else rejected.add(factId)
  }
  const { contradictions, outdated, supersedes } = contradictionsIn(
    facts.filter(({ id }) => !rejected.has(id) && !known.has(id)),
    context.active,
  )
  findings.push(...contradictions)
  for (const factId of outdated) rejected.add(factId)

  return {
    verdict: verdictOf(facts, findings, context.approval),
    findings,
    rejected: [...rejected],
    supersedes,
  }
}

type Rule = (fact: CandidateFact, context: EvaluationContext) => Omit<Finding, 'factId'> | undefined

const RULES: readonly Rule[] = [hasShape, isBorneOut, isNoInjection, isSure, isNotOthersToTell]

const Shape = Fact.pick({ subject: true, predicate: true, object: true, statement: true, confidence: true })

const LONGEST = { subject: 200, predicate: 60, object: 600, statement: 1_000 }

function hasShape(fact: CandidateFact): ReturnType<Rule> {
  const parsed = Shape.safeParse(fact)
  if (!parsed.success) return misshapen('A part of the fact is missing or of the wrong kind.')
  for (const [name, longest] of Object.entries(LONGEST)) {
    const text = parsed.data[name as keyof typeof LONGEST]
    if (text.trim() === '') return misshapen(`The fact has no ${name}.`)
    if (text.length > longest) return misshapen(`The ${name} is longer than ${longest} characters.`)
  }
  if (!/^[a-z]+(?:_[a-z]+)*$/.test(fact.predicate))
    return misshapen('The predicate is not a word in snake case, as lives_in is.')
  if (fact.subjectKey !== entityKey(fact.subject) || fact.objectKey !== entityKey(fact.object))
    return misshapen('The keys of the fact are not those of its subject and object.')
  if ([fact.validFrom, fact.validTo].some((date) => date !== undefined && !isDate(date)))
    return misshapen('A date of the fact is not a year, a month or a day as 2001-05-31.')
  return fact.validFrom !== undefined && fact.validTo !== undefined && fact.validTo < fact.validFrom
    ? misshapen('The fact ends before it begins.')
    : undefined
}

const misshapen = (message: string) => ({ rule: 'schema', severity: 'reject', message }) as const

const isDate = (date: string): boolean =>
  /^\d{4}(?:-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01]))?)?$/.test(date)

function isBorneOut({ evidence }: CandidateFact, { chunks }: EvaluationContext): ReturnType<Rule> {
  const isThere = ({ quote, chunk }: CandidateFact['evidence'][number]) =>
    quote.trim() !== '' && chunks.get(chunk)?.includes(quote) === true
  if (evidence.length > 0 && evidence.every(isThere)) return undefined
  return {
    rule: 'evidence',
    severity: 'reject',
    message: 'The words that should bear it out do not stand in the source.',
  }
}

function isNoInjection({ subject, object, statement, evidence }: CandidateFact): ReturnType<Rule> {
  const what = [subject, object, statement, ...evidence.map(({ quote }) => quote)]
    .map(injectionIn)
    .find((found) => found !== undefined)
  return what === undefined
    ? undefined
    : { rule: 'injection', severity: 'reject', message: `The text ${what}.` }
}

function isSure({ confidence }: CandidateFact): ReturnType<Rule> {
  return confidence >= LEAST_CONFIDENCE
    ? undefined
    : {
        rule: 'confidence',
        severity: 'reject',
        message: `Its confidence ${confidence} is under ${LEAST_CONFIDENCE}.`,
      }
}

function isNotOthersToTell(fact: CandidateFact, context: EvaluationContext): ReturnType<Rule> {
  const { subject, predicate, object, statement, evidence } = fact
  const isTheirs = isCreator(subject, context)
  if (isTheirs && !PREDICATES_NAMING_PEOPLE.has(predicate)) return undefined
  const quotes = evidence.map(({ quote }) => quote)
  const what = personalDataIn(isTheirs ? '' : predicate, [object, statement, ...quotes].join('\n'))
  const whom = isTheirs ? object : subject
  if (what !== undefined)
    return {
      rule: 'third_party',
      severity: 'ask',
      message: `About ${whom}, who is another person, its words may tell ${what}.`,
    }
  if (isTheirs) return undefined
  return { rule: 'third_party', severity: 'note', message: `It is about ${whom}, who is another person.` }
}

const DUPLICATE = {
  known: { rule: 'duplicate', message: 'It is known already: this bears it out once more.' },
  repeated: { rule: 'duplicate', message: 'Another fact of the patch says the same.' },
  corrected: { rule: 'correction', message: 'A person has corrected it since.' },
} as const

/** Facts that are active already, that a person has corrected, and all but the first of those that say the same. */
function* duplicatesIn(
  facts: readonly CandidateFact[],
  rejected: ReadonlySet<FactId>,
  { active, corrected = [] }: EvaluationContext,
): Generator<{ factId: FactId; kind: keyof typeof DUPLICATE }> {
  const known = new Set(active.flatMap(sayingsOf))
  const wrong = new Set(corrected.flatMap(sayingsOf))
  const seen = new Set<string>()
  for (const fact of facts) {
    if (rejected.has(fact.id)) continue
    const [saying = ''] = sayingsOf(fact).slice(-1)
    if (seen.has(saying)) yield { factId: fact.id, kind: 'repeated' }
    else if (known.has(saying)) yield { factId: fact.id, kind: 'known' }
    else if (wrong.has(saying)) yield { factId: fact.id, kind: 'corrected' }
    for (const said of sayingsOf(fact)) seen.add(said)
  }
}

/** What a fact says without its date and, where it can be true several times, with it: the last is what it says itself. */
function sayingsOf(fact: ActiveFact | CandidateFact): readonly string[] {
  const { subjectKey, predicate, objectKey, validFrom } = fact
  const undated = JSON.stringify([subjectKey, predicate, objectKey])
  if (validFrom === undefined || ONE_AT_A_TIME.has(predicate)) return [undated]
  return [undated, JSON.stringify([subjectKey, predicate, objectKey, validFrom])]
}

function verdictOf(
  facts: readonly CandidateFact[],
  findings: readonly Finding[],
  approval: Approval,
): Evaluation['verdict'] {
  if (facts.length === 0) return 'approve'
  const refused = findings.filter(({ severity }) => severity === 'reject')
  const injections = refused.filter(({ rule }) => rule === 'injection')
  if (refused.length === facts.length || injections.length * 2 > facts.length) return 'reject'
  if (approval === 'by_person' || findings.some(({ severity }) => severity === 'ask')) return 'ask'
  return 'approve'
}
