import { COMPILED } from './compiled-rules.ts'
import { type Dates, datesIn } from './dates-in.ts'
import { factsOfKin } from './facts-of-kin.ts'
import { ageOf, ofMine } from './facts-of-mine.ts'
import { findSubjects, type Subject, type Voice } from './find-subjects.ts'
import { isMixed } from './is-mixed.ts'
import { type Predicate, PREDICATES } from './predicates.ts'
import { relativeTimeIn } from './relative-time.ts'
import type { Rule } from './rules.ts'
import type { Said } from './said.ts'
import { type HasNoun, tidyObjects, type TidyObject } from './tidy-object.ts'

/** What a sentence states, and of whom it speaks, for a "she" in the next one. */
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

/** Whom a "she" may mean. A sentence of notes may begin with any word, which is no name for that: "Paid the last of it." */
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
    // What is said of time belongs to the verb before it.
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

/** Rules that may find something in words of which another finds more. */
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
