import { relation } from './facts-of-kin.ts'
import type { Subject } from './find-subjects.ts'
import { OF_MINE } from './rules.ts'
import type { Said } from './said.ts'
import { type HasNoun, tidyObjects } from './tidy-object.ts'

/** "My favourite colour is green", "My sister is called Mara", "My boat is Wanda". */
export function* ofMine(subject: Subject, sentence: string, hasNoun: HasNoun): Generator<Said> {
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
export function* ageOf(
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
