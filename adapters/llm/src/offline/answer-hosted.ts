import { askedTopic, factsOn, maySay } from './asked-topic.ts'
import { asksOrWishes } from './asks.ts'
import { chooseStatements } from './choose-statements.ts'
import { inFirstPerson } from './first-person.ts'
import { fewFacts, fewOf } from './few-of.ts'
import type { WholeQuestion } from './follow-up.ts'
import { isFurther } from './is-further.ts'
import type { Material } from './material.ts'
import { offerFrom } from './offer.ts'
import type { Passage } from './passage.ts'
import type { Persona } from './persona.ts'
import { sameMeaning } from './same-meaning.ts'
import { type Statement, statementsOf } from './statement.ts'
import { stemsOf } from './stems-of.ts'
import { sayStatement, tellStatements } from './tell-statements.ts'
import { withWithdrawal } from './view-fit.ts'

export interface HostedAsked {
  readonly question: WholeQuestion
  readonly material: Material
  /** What the prompt states. */
  readonly facts: readonly Passage[]
  readonly persona: Persona | undefined
  readonly looksUp: boolean
  /** What was answered before. */
  readonly told: readonly string[]
}

/** In plain short sentences: what answers, with its source, or that it is not known. */
export function answerHosted({ question, material, facts, persona, looksUp, told }: HostedAsked): string {
  const owner = persona?.owner
  const statements = withoutCorrected([
    ...material.found.flatMap((found, place) => statementsOf(found, place, owner)),
    ...statementsOfPrompt(facts, persona),
    ...material.said
      .filter((text) => !asksOrWishes(text))
      .flatMap((text) => statementsOf({ text, title: undefined, speaker: 'You' }, material.found.length)),
  ])
  const inOwnWords = (statement: Statement) =>
    isAddressed(question.text) || OWN_KIN.test(statement.text.slice(owner?.length))
      ? ownWordsOf(statement, owner)
      : statement
  const isNew = (statement: Statement) => isFurther(sayStatement(statement, owner), question, told)

  const topic = askedTopic(question.text)
  const rows = topic ? factsOn(topic, statements, owner ?? '').map((row) => row.map(inOwnWords)) : []
  const row = rows.map((all) => all.filter(isNew)).find((all) => all.length > 0)
  if (row) return tellStatements(fewFacts(row, owner), owner)

  const corrections = statements.filter(
    (statement) => isAskedFor(statement, question.text, owner) && isNew(statement),
  )
  if (corrections.length > 0) return tellStatements(fewFacts(corrections.map(inOwnWords), owner), owner)

  const chosen = chooseStatements(statements, { owner, question: question.text, kindBy: question.last })
    .map(({ statement, score }) => ({ statement: inOwnWords(statement), score }))
    .filter(({ statement }) => !topic || maySay(statement.text, topic))
  const fresh = chosen.filter(({ statement }) => isNew(statement))
  if (fresh.length > 0)
    return tellStatements(withWithdrawal(fewOf(fresh, owner), statements, question.text), owner)
  if (chosen.length > 0 || rows.length > 0) return 'That is all that my sources say about it.'
  const first = statements.filter(
    ({ corrects, place }) =>
      place === 0 && corrects?.some((start) => tellingIn(start, owner ?? '').length === 0),
  )
  if (first.length > 0) return tellStatements(first.map(inOwnWords), owner)
  if (persona && !asksOrWishes(question.last) && TELLS.test(question.last)) return heard(persona)
  return notKnown(statements, { owner, looksUp, told: told.join(' '), seed: question.text.length })
}

/** What a prompt was given before a correction was approved is not said. */
const withoutCorrected = (statements: readonly Statement[]): readonly Statement[] => {
  const corrected = statements.flatMap(({ corrects }) => corrects ?? [])
  return statements.filter(
    ({ text, place }) => place !== PLACE_OF_PROMPT || !corrected.some((start) => text.startsWith(start)),
  )
}

/** Whether a question has the words of what a correction corrects. */
function isAskedFor({ corrects = [] }: Statement, question: string, owner = ''): boolean {
  const asked = stemsOf(question)
  return corrects.some((start) => {
    const telling = tellingIn(start, owner)
    return telling.length > 0 && telling.every((stem) => asked.some((one) => sameMeaning(one, stem)))
  })
}

/** The words that tell what is corrected; “Ada is” has none. */
function tellingIn(start: string, owner: string): readonly string[] {
  const names = new Set(stemsOf(owner))
  return stemsOf(start).filter((stem) => !names.has(stem))
}

/** Whether a question speaks to the reflection of itself: who asks about "her" is told it as it stands. */
const isAddressed = (question: string): boolean =>
  /\b(?:you|your|yours|yourself)\b/i.test(question.replace(REQUEST, ''))

/** Whoever is asked about, "my sister" is said of one's own. */
const OWN_KIN = /^['’]s \p{Ll}/u

const REQUEST =
  /\b(?:can|could|will|would) you (?:please )?(?:tell|say|explain|describe|give|show)\b|\bdo you know\b/gi

const ownWordsOf = (statement: Statement, owner: string | undefined): Statement => ({
  ...statement,
  text: inFirstPerson(statement.text, owner),
})

/** Something that a person tells of themself. */
const TELLS = /^(?:I|I['’]m|my|we|our)\b/i

const heard = ({ actions }: Persona): string =>
  actions.includes('request-source-ingest')
    ? 'I see. Say "remember that" before it, and I hand it in to be kept.'
    : 'I see. What would you like to know?'

/** Of a reflection's prompt, what it is given as data, but for earlier talks; of others all that they state. */
function statementsOfPrompt(facts: readonly Passage[], persona: Persona | undefined): readonly Statement[] {
  return facts
    .filter(({ from }) => persona === undefined || (from.label !== undefined && !TALKS.test(from.label)))
    .flatMap(({ text, from }) =>
      statementsOf(
        { text, title: from.label?.startsWith('the dossier') ? 'my dossier' : from.label },
        PLACE_OF_PROMPT,
        persona?.owner,
      ),
    )
}

const TALKS = /\bconversations?\b/

/** Behind all that was found for the question. */
const PLACE_OF_PROMPT = 8

interface Unknown {
  readonly owner: string | undefined
  readonly looksUp: boolean
  readonly told: string
  readonly seed: number
}

function notKnown(statements: readonly Statement[], { owner, looksUp, ...said }: Unknown): string {
  if (!looksUp) return 'I am sorry, I have nothing on that.'
  const nothing = 'I find nothing about that in my sources.'
  if (owner === undefined) return nothing
  const facts = statements.filter(({ isFact }) => isFact).map(({ text }) => text)
  const offer = offerFrom(facts, { owner, ...said })
  return offer === undefined ? nothing : `${nothing} I could tell you instead about ${offer}.`
}
