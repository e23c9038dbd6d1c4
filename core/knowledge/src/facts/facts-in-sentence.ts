import { type Dates, datesIn, relativeTimeIn } from './dates.ts'
import { type Subject, type Voice, factsOfKin, findSubjects, relation } from './find-subjects.ts'
import { PREDICATES, type Predicate, type Said } from './predicates.ts'
import { OF_MINE, RULES, type Rule } from './rules.ts'
import { type HasNoun, type TidyObject, tidyObjects } from './tidy-object.ts'

/** The facts of a sentence, and its subject, for a "she" in the next one. */
export function factsInSentence(
  sentence: string,
  voice: Voice,
  hasNoun: HasNoun,
): { readonly said: readonly Said[]; readonly subject: string | undefined } {
  if (!isStatement(sentence)) return { said: [], subject: voice.before }
  const { subjects, kin } = findSubjects(sentence, voice)
  const stated = subjects.flatMap((subject, place) => {
    const end = subjects[place + 1]?.at ?? sentence.length
    return [
      ...ofMine(subject, sentence, hasNoun),
      ...ageOf(subject, sentence, voice.date),
      ...statedOf(subject, sentence, end, { date: voice.date, hasNoun }),
    ]
  })
  const said = [...factsOfKin(sentence, kin, voice), ...stated]
  const last = subjects.find((subject) => isSomebody(subject, sentence))
  return { said, subject: last?.name }
}

/** The person that a "she" may mean. A sentence of notes may begin with any word, which is no name for that: "Paid the last of it." */
function isSomebody({ person, isThing, of, at, verbAt, name }: Subject, sentence: string): boolean {
  if (person !== 'third' || isThing) return false
  if (at > 0 || of || name.includes(' ')) return !/['’]s?$/.test(name)
  return VERB.test(sentence.slice(verbAt))
}

const VERB =
  /^,? ?(?:who |and )?(?:\p{Ll}+(?:s|ed)|had|does|did|came|went|rang|said|told|took|got|gave|made|ran|left|met|knew|wrote|built|bought|sold|won|grew|spoke|kept|held|sent|taught|could|would|will|can|may)(?![\p{L}'’-])/u

const LONGEST_SENTENCE = 600

/** Neither a question nor what somebody else is said to have said. */
const isStatement = (sentence: string): boolean =>
  sentence.length <= LONGEST_SENTENCE &&
  !/\?["'”’)\]]*$/.test(sentence) &&
  !TOLD_BY_OTHERS.test(sentence) &&
  !isMixed(sentence)

const TOLD_BY_OTHERS =
  /,? (?:(?:s?he|they|people|everyone|everybody|\p{Lu}\p{L}+) (?:says?|said|claim(?:s|ed)?|insist(?:s|ed)?|wrote|thinks?|told (?:me|us|him|her))|(?:said|says|claims?) (?:s?he|they|\p{Lu}\p{L}+))[.!]?$/u

interface Reading {
  readonly date: string | undefined
  readonly hasNoun: HasNoun
}

/** What the rules find after the subject, and after each "and" that goes on with it. */
function statedOf(subject: Subject, sentence: string, end: number, reading: Reading): readonly Said[] {
  const matches = [...verbsAfter(subject, sentence, end)].flatMap((at) =>
    matchesAt(at, subject, sentence, reading),
  )
  return matches.flatMap(({ at, rule, objects, when }) => {
    // Words of time belong to the verb before them.
    const next = matches.find((other) => other.at > at)?.at ?? end
    const said =
      when ??
      datesIn(clauseIn(sentence.slice(at, next)), rule.is) ??
      datesIn(openingIn(sentence, subject), rule.is)
    const dates = rule.object === 'date' ? undefined : said
    return objects.map(({ object, inSentence }) => ({
      subject: subject.name,
      predicate: rule.predicate,
      object,
      statement: `${subject.name} ${wordsOf(rule, object)} ${inSentence}${dates?.said ?? ''}.`,
      confidence: Math.round(rule.confidence * subject.trust * 100) / 100,
      dates,
    }))
  })
}

/** Up to where something else is spoken of: "…, and her last run was in 1994". */
function clauseIn(rest: string): string {
  const other = rest.search(
    /,? (?:and|but) (?:his|her|their|its|the|it|he|she|they|there|this|that|my|our) /u,
  )
  return other < 0 ? rest : rest.slice(0, other)
}

/** "In 1999 I …": what comes before the subject, where that says when and nothing else. */
function openingIn(sentence: string, { at }: Subject): string {
  const before = sentence.slice(0, at)
  return /^\W*(?:(?:and|but|then|later|back|und)\W+)?(?:in|on|from|since|until|till|by|around|between|during|im|am|seit|von|bis|\d{4})\b/iu.test(
    before,
  )
    ? before
    : ''
}

interface Match {
  readonly at: number
  readonly rule: Rule
  readonly objects: readonly TidyObject[]
  readonly when?: Dates | undefined
}

function matchesAt(at: number, subject: Subject, sentence: string, reading: Reading): readonly Match[] {
  const clause = sentence.slice(at)
  const before = sentence.slice(0, subject.at)
  const matches: Match[] = []
  for (const { rule, patterns } of COMPILED) {
    if (!appliesTo(rule, subject)) continue
    const verb = patterns[subject.person].exec(clause)?.[0]
    if (verb === undefined) continue
    const told = withoutRelativeTime(clause.slice(verb.length), before, rule, reading.date)
    if (!told) continue
    const objects = tidyObjects(told.rest, rule.object, subject.name, reading.hasNoun)
    if (objects.length > 0) matches.push({ at, rule, objects, when: told.when })
    if (objects.length > 0 && !GO_TOGETHER.has(rule.predicate)) break
  }
  return matches
}

function appliesTo({ predicate }: Rule, { isThing, of }: Subject): boolean {
  // Whoever is somebody's and called so is known by that already.
  if (of && !of.isNamed && predicate === 'is_called') return false
  return !isThing || predicate === 'is_called' || predicate === 'is_a'
}

/** "Today" is a day where it is known when it was said; else, and of what lasts, nothing can be told. */
function withoutRelativeTime(
  rest: string,
  before: string,
  { is }: Rule,
  date: string | undefined,
): { readonly rest: string; readonly when?: Dates } | undefined {
  const near = rest.slice(0, /[.,;:!]| (?:and|but|because|when|while) |$/.exec(rest)?.index)
  const after = relativeTimeIn(near, date)
  const time = after ?? (is === 'event' ? relativeTimeIn(before, date) : undefined)
  if (!time) return { rest }
  if (is === 'state' || time.at === undefined) return undefined
  const when = { validFrom: time.at, said: ` ${time.at.length > 7 ? 'on' : 'in'} ${time.at}` }
  return { rest: after ? rest.replace(` ${after.words}`, '') : rest, when }
}

function wordsOf({ predicate, object: kind }: Rule, object: string): string {
  if (kind !== 'date') return PREDICATES[predicate]
  return PREDICATES[predicate].replace(/(?:in|on)$/, object.length > 7 ? 'on' : 'in')
}

/** Rules that match words in which another rule finds more. */
const GO_TOGETHER: ReadonlySet<Predicate> = new Set([
  'born_in',
  'born_on',
  'works_as',
  'worked_as',
  'works_at',
  'worked_at',
  'studied_at',
])

function* verbsAfter({ verbAt }: Subject, sentence: string, end: number): Generator<number> {
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

/** Whether a sentence is of two languages at once: its words cannot be relied on. */
const isMixed = (sentence: string): boolean => ENGLISH.test(sentence) && GERMAN.test(sentence)

const ENGLISH =
  /(?<![\p{L}'’])(?:I|I['’]m|[Mm]y|[Oo]ur|[Ww]e|[Tt]he|[Ss]he|is|are|was|and|with|at|of)(?![\p{L}])/u

// Not those that stand in names or in English too: der, den, die, am, in, was, man.
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

/** The rules, as patterns that go with their subject. */
const COMPILED = RULES.map((rule) => ({
  rule,
  patterns: {
    first: patternOf(rule, 'first'),
    plural: patternOf(rule, 'plural'),
    third: patternOf(rule, 'third'),
  },
}))

function patternOf({ verb }: Rule, person: Subject['person']): RegExp {
  const source = verb.replace(/~|\{\w+\}/g, (token) => WORDS[person][token] ?? token)
  return new RegExp(`^(?:,? ?(?:who|which) )?${ADVERBS}${source}(?![\\p{L}'’])`, 'u')
}

/** "My favourite colour is green", "My sister is called Mara", "My boat is Wanda". */
function* ofMine(subject: Subject, sentence: string, hasNoun: HasNoun): Generator<Said> {
  const { of, verbAt, trust } = subject
  if (!of || of.isNamed) return
  const rest = sentence.slice(verbAt)
  const called =
    /^(?:(?:is|was|are) (?:called|named)|heißt)(?= )/u.exec(rest) ??
    /^(?:'|’)s name (?:is|was)(?= )/u.exec(rest)
  const [name] = called ? tidyObjects(rest.slice(called[0].length), 'name', subject.name, hasNoun) : []
  if (name) {
    const known = relation(of.person, of.as, name.object, 'is called', 0.85 * trust)
    yield subject.isThing ? { ...known, predicate: 'owns' } : known
  }
  const verb = /^(?:is|are|has always been|was always)(?= )/u.exec(rest)?.[0]
  if (verb === undefined) return
  for (const { what, predicate, confidence } of OF_MINE) {
    const thing = what.exec(`${of.as} ${verb}`)
    if (!thing) continue
    for (const { object, inSentence } of tidyObjects(rest.slice(verb.length), 'thing', of.person, () => true))
      yield {
        subject: of.person,
        predicate,
        object,
        statement: `${subject.name} is ${inSentence}.`,
        confidence: confidence * trust,
      }
  }
}

/** How old somebody was says something where it is known when that was. */
function* ageOf(
  { name, verbAt, trust }: Subject,
  sentence: string,
  date: string | undefined,
): Generator<Said> {
  const age = /^(?:am|is|['’]m|['’]s) (?:now )?(\d{1,3}) years old(?![\p{L}-])/u.exec(
    sentence.slice(verbAt),
  )?.[1]
  if (age === undefined || date === undefined) return
  yield {
    subject: name,
    predicate: 'aged',
    object: `${age} years`,
    statement: `${name} was ${age} years old on ${date}.`,
    confidence: 0.9 * trust,
    dates: { validFrom: date, said: ` on ${date}` },
  }
}
