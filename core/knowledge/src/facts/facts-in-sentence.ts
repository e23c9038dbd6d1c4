import { type Dates, findDates, findRelativeTime } from './dates.ts'
import {
  type Subject,
  type SentenceContext,
  findKinFacts,
  findSubjects,
  createRelationFact,
} from './find-subjects.ts'
import { PREDICATES, type Predicate, type StatedFact } from './predicates.ts'
import { POSSESSIVE_RULES, RULES, type SentenceRule } from './rules.ts'
import { type NounTest, type ExtractedObject, extractObjects } from './extract-objects.ts'

/** Finds the facts in a sentence, and the subject that "she" or "he" in the next sentence refers to. */
export function findFactsInSentence(
  sentence: string,
  context: SentenceContext,
  hasNoun: NounTest,
): { readonly facts: readonly StatedFact[]; readonly subject: string | undefined } {
  if (!isStatement(sentence)) return { facts: [], subject: context.previousSubject }
  const { date } = context
  const { subjects, kin } = findSubjects(sentence, context)
  const stated = subjects.flatMap((subject, index) => {
    const end = subjects[index + 1]?.at ?? sentence.length
    return [
      ...findPossessiveFacts(subject, sentence, hasNoun),
      ...findAgeFact(subject, sentence, date),
      ...applyRules(subject, sentence, end, { date, hasNoun }),
    ]
  })
  const person = subjects.find((subject) => isPerson(subject, sentence))
  return { facts: [...findKinFacts(sentence, kin, context), ...stated], subject: person?.name }
}

/** Whether the subject is a person. The first word of a note, as in "Paid the last of it.", is not a name. */
function isPerson({ person, isThing, relation, at, verbAt, name }: Subject, sentence: string): boolean {
  if (person !== 'third' || isThing) return false
  if (at > 0 || relation || name.includes(' ')) return !/['’]s?$/.test(name)
  return VERB.test(sentence.slice(verbAt))
}

const VERB =
  /^,? ?(?:who |and )?(?:\p{Ll}+(?:s|ed)|had|does|did|came|went|rang|said|told|took|got|gave|made|ran|left|met|knew|wrote|built|bought|sold|won|grew|spoke|kept|held|sent|taught|could|would|will|can|may)(?![\p{L}'’-])/u

const MAX_SENTENCE_LENGTH = 600

/** Excludes questions, reported speech and mixed languages. */
const isStatement = (sentence: string): boolean =>
  sentence.length <= MAX_SENTENCE_LENGTH &&
  !/\?["'”’)\]]*$/.test(sentence) &&
  !REPORTED_SPEECH.test(sentence) &&
  !isMixed(sentence)

const REPORTED_SPEECH =
  /,? (?:(?:s?he|they|people|everyone|everybody|\p{Lu}\p{L}+) (?:says?|said|claim(?:s|ed)?|insist(?:s|ed)?|wrote|thinks?|told (?:me|us|him|her))|(?:said|says|claims?) (?:s?he|they|\p{Lu}\p{L}+))[.!]?$/u

interface RuleContext {
  readonly date: string | undefined
  readonly hasNoun: NounTest
}

/** Applies the rules after the subject, and after each "and" with the same subject. */
function applyRules(
  subject: Subject,
  sentence: string,
  end: number,
  context: RuleContext,
): readonly StatedFact[] {
  const matches = [...findVerbPositions(subject, sentence, end)].flatMap((at) =>
    matchRules(at, subject, sentence, context),
  )
  return matches.flatMap(({ at, rule, objects, dates: relativeDates }) => {
    // Dates belong to the verb before them.
    const next = matches.find((other) => other.at > at)?.at ?? end
    const found =
      relativeDates ??
      findDates(cutOtherClause(sentence.slice(at, next)), rule.kind) ??
      findDates(findLeadingDate(sentence, subject), rule.kind)
    const dates = rule.object === 'date' ? undefined : found
    return objects.map(({ object, inSentence }) => ({
      subject: subject.name,
      predicate: rule.predicate,
      object,
      statement: `${subject.name} ${choosePredicateWords(rule, object)} ${inSentence}${dates?.phrase ?? ''}.`,
      confidence: Math.round(rule.confidence * subject.nameConfidence * 100) / 100,
      dates,
    }))
  })
}

/** The text before a clause with another subject: "…, and her last run was in 1994". */
function cutOtherClause(rest: string): string {
  const other = rest.search(
    /,? (?:and|but) (?:his|her|their|its|the|it|he|she|they|there|this|that|my|our) /u,
  )
  return other < 0 ? rest : rest.slice(0, other)
}

/** The words before the subject, if they are only a date: "In 1999 I …". */
function findLeadingDate(sentence: string, { at }: Subject): string {
  const before = sentence.slice(0, at)
  return /^\W*(?:(?:and|but|then|later|back|und)\W+)?(?:in|on|from|since|until|till|by|around|between|during|im|am|seit|von|bis|\d{4})\b/iu.test(
    before,
  )
    ? before
    : ''
}

interface RuleMatch {
  readonly at: number
  readonly rule: SentenceRule
  readonly objects: readonly ExtractedObject[]
  readonly dates?: Dates | undefined
}

function matchRules(
  at: number,
  subject: Subject,
  sentence: string,
  context: RuleContext,
): readonly RuleMatch[] {
  const clause = sentence.slice(at)
  const before = sentence.slice(0, subject.at)
  const matches: RuleMatch[] = []
  for (const { rule, patterns } of COMPILED) {
    if (!appliesTo(rule, subject)) continue
    const verb = patterns[subject.person].exec(clause)?.[0]
    if (verb === undefined) continue
    const timed = extractRelativeTime(clause.slice(verb.length), before, rule, context.date)
    if (!timed) continue
    const objects = extractObjects(timed.rest, rule.object, subject.name, context.hasNoun)
    if (objects.length > 0) matches.push({ at, rule, objects, dates: timed.dates })
    if (objects.length > 0 && !OVERLAPPING.has(rule.predicate)) break
  }
  return matches
}

function appliesTo({ predicate }: SentenceRule, { isThing, relation }: Subject): boolean {
  // `findPossessiveFacts` handles the names of relatives and things.
  if (relation && !relation.isNamed && predicate === 'is_called') return false
  return !isThing || predicate === 'is_called' || predicate === 'is_a'
}

/**
 * Separates words such as "today" from the rest. Returns undefined if they have no date, or with a state: such a fact is
 * only temporary.
 */
function extractRelativeTime(
  rest: string,
  before: string,
  { kind }: SentenceRule,
  date: string | undefined,
): { readonly rest: string; readonly dates?: Dates } | undefined {
  const near = rest.slice(0, /[.,;:!]| (?:and|but|because|when|while) |$/.exec(rest)?.index)
  const after = findRelativeTime(near, date)
  const time = after ?? (kind === 'event' ? findRelativeTime(before, date) : undefined)
  if (!time) return { rest }
  if (kind === 'state' || time.date === undefined) return undefined
  const dates = { validFrom: time.date, phrase: ` ${time.date.length > 7 ? 'on' : 'in'} ${time.date}` }
  return { rest: after ? rest.replace(` ${after.words}`, '') : rest, dates }
}

function choosePredicateWords({ predicate, object: kind }: SentenceRule, object: string): string {
  if (kind !== 'date') return PREDICATES[predicate]
  return PREDICATES[predicate].replace(/(?:in|on)$/, object.length > 7 ? 'on' : 'in')
}

/** After a match of these, other rules may also match the same words. */
const OVERLAPPING: ReadonlySet<Predicate> = new Set([
  'born_in',
  'born_on',
  'works_as',
  'worked_as',
  'works_at',
  'worked_at',
  'studied_at',
])

function* findVerbPositions({ verbAt }: Subject, sentence: string, end: number): Generator<number> {
  yield verbAt
  const clause = sentence.slice(verbAt, end)
  const stop = clause.search(/\s(?:who|which|whose|whom|where|that|when|if|unless)\s/)
  for (const { index, 0: joint } of clause.matchAll(
    /,? (?:and|but|then)(?: (?:then|now|later|still|also|have|has))? |, /g,
  )) {
    if (stop >= 0 && index > stop) return
    yield verbAt + index + joint.length
  }
}

/** Whether a sentence mixes English and German, which the rules would misread. */
const isMixed = (sentence: string): boolean => ENGLISH.test(sentence) && GERMAN.test(sentence)

const ENGLISH =
  /(?<![\p{L}'’])(?:I|I['’]m|[Mm]y|[Oo]ur|[Ww]e|[Tt]he|[Ss]he|is|are|was|and|with|at|of)(?![\p{L}])/u

// Without words that are also English or part of names: der, den, die, am, in, was, man.
const GERMAN =
  /(?<![\p{L}'’-])(?:und|ich|Ich|nicht|mit|für|ist|bin|ein|eine|einen|einem|auf|bei|aber|auch|sehr|mein|meine|unser|unsere|wohne|arbeite|heißt|gerade|immer|Schwester|Bruder|Mutter|Vater|Tochter|Sohn|Freundin|Tante|Onkel|Katze|Hund)(?![\p{L}'’-])/u

const ADVERBS =
  '(?:(?:now|still|currently|also|really|always|actually|just|simply|particularly|first|later|then|quite|mostly|only|truly|absolutely|once|recently|finally|eventually|originally|especially|rather|both|soon|happily|secretly|have always|has always) )*'

const WORDS: Record<Subject['person'], Readonly<Record<string, string>>> = {
  first: {
    '~': '',
    '{be}': "(?:am|'m|’m|bin)",
    '{was}': '(?:was)',
    '{have}': "(?:have|'ve|’ve)",
    '{do}': 'do',
    '{et}': 'e',
    '{eet}': 'e',
  },
  plural: {
    '~': '',
    '{be}': "(?:are|'re|’re)",
    '{was}': '(?:were)',
    '{have}': "(?:have|'ve|’ve)",
    '{do}': 'do',
    '{et}': 'en',
    '{eet}': 'en',
  },
  third: {
    '~': '(?:e?s)',
    '{be}': "(?:is|'s|’s|ist)",
    '{was}': '(?:was)',
    '{have}': "(?:has|'s|’s)",
    '{do}': 'does',
    '{et}': 't',
    '{eet}': 'et',
  },
}

/** The rules, compiled for each kind of subject. */
const COMPILED = RULES.map((rule) => ({
  rule,
  patterns: {
    first: compilePattern(rule, 'first'),
    plural: compilePattern(rule, 'plural'),
    third: compilePattern(rule, 'third'),
  },
}))

function compilePattern({ verb }: SentenceRule, person: Subject['person']): RegExp {
  const source = verb.replace(/~|\{\w+\}/g, (token) => WORDS[person][token] ?? token)
  return new RegExp(`^(?:,? ?(?:who|which) )?${ADVERBS}${source}(?![\\p{L}'’])`, 'u')
}

/** "My favourite colour is green", "My sister is called Mara", "My boat is Wanda". */
function* findPossessiveFacts(subject: Subject, sentence: string, hasNoun: NounTest): Generator<StatedFact> {
  const { relation, verbAt, nameConfidence } = subject
  if (!relation || relation.isNamed) return
  const rest = sentence.slice(verbAt)
  const called =
    /^(?:(?:is|was|are) (?:called|named)|heißt)(?= )/u.exec(rest) ??
    /^(?:'|’)s name (?:is|was)(?= )/u.exec(rest)
  const [name] = called ? extractObjects(rest.slice(called[0].length), 'name', subject.name, hasNoun) : []
  if (name) {
    const fact = createRelationFact(
      relation.person,
      relation.word,
      name.object,
      'is called',
      0.85 * nameConfidence,
    )
    yield subject.isThing ? { ...fact, predicate: 'owns' } : fact
  }
  const verb = /^(?:is|are|has always been|was always)(?= )/u.exec(rest)?.[0]
  if (verb === undefined) return
  for (const { words, predicate, confidence } of POSSESSIVE_RULES) {
    if (!words.test(`${relation.word} ${verb}`)) continue
    for (const { object, inSentence } of extractObjects(
      rest.slice(verb.length),
      'thing',
      relation.person,
      () => true,
    ))
      yield {
        subject: relation.person,
        predicate,
        object,
        statement: `${subject.name} is ${inSentence}.`,
        confidence: confidence * nameConfidence,
      }
  }
}

/** A stated age is a fact only if the date of the text is known. */
function* findAgeFact(
  { name, verbAt, nameConfidence }: Subject,
  sentence: string,
  date: string | undefined,
): Generator<StatedFact> {
  const age = /^(?:am|is|['’]m|['’]s) (?:now )?(\d{1,3}) years old(?![\p{L}-])/u.exec(
    sentence.slice(verbAt),
  )?.[1]
  if (age === undefined || date === undefined) return
  yield {
    subject: name,
    predicate: 'aged',
    object: `${age} years`,
    statement: `${name} was ${age} years old on ${date}.`,
    confidence: 0.9 * nameConfidence,
    dates: { validFrom: date, phrase: ` on ${date}` },
  }
}
