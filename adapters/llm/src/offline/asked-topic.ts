import { ANY_KIN } from './kin-words.ts'
import type { Statement } from './statement.ts'
import { type Topic, TOPICS } from './topics.ts'

export interface AskedTopic {
  readonly topic: Topic
  /** Whom it is asked of: "you", "your sister", "Ada". */
  readonly who: string
}

/** The topic of an ordinary question; undefined where it is of no such kind. */
export function askedTopic(question: string): AskedTopic | undefined {
  if (question.length > LONGEST) return undefined
  const plain = question
    .replace(/’/g, "'")
    .replace(/[\s?.!]+$/, '')
    .replace(AROUND, '')
    .replace(NOW, '')
  const who = OWN_KIN.exec(plain)?.[0] ?? (/\byou/i.test(plain) ? 'you' : NAME.exec(plain)?.[0])
  if (who === undefined) return undefined
  const asked =
    who === 'you'
      ? plain.replace(/\byour\b/gi, "WHO's").replace(/\byou(?:rself)?\b/gi, 'WHO')
      : plain.replaceAll(who, 'WHO')
  const form = asked.replace(/^\p{Lu}(?=\p{Ll})/u, (letter) => letter.toLowerCase())
  const topic = TOPICS.find(
    ({ asked: pattern, isOfYou }) => pattern.test(form) && (!isOfYou || who === 'you'),
  )
  return topic && { topic, who }
}

const LONGEST = 120
/** What people say before a question, and before what they want to hear of. */
const AROUND =
  /^\W*(?:(?:and|so|but|well|okay|ok|please|hi|hello|hey)\b[ ,]*){0,3}(?:(?:can|could|will|would) you (?:please )?)?(?:tell me,? |say )?(?:(?:a little|something|more) (?=about))?(?:please )?/i
const NOW = / (?:right now|now|currently|these days|nowadays|today|at the moment|really|exactly)$/i
/** "your sister", where something is asked of her. */
const OWN_KIN = new RegExp(String.raw`\byour (?:${ANY_KIN})(?='s\b| [a-z])`, 'i')
const NAME = /(?<=\S )\p{Lu}\p{L}+(?: \p{Lu}\p{L}+)*/u

/** The facts that answer it, best first, in the rows of its topic. */
export function factsOn(
  { topic, who }: AskedTopic,
  statements: readonly Statement[],
  owner: string,
): readonly (readonly Statement[])[] {
  const facts = statements.filter(({ isFact }) => isFact)
  const subjects = subjectsOf(who, facts, owner)
  const rests = facts.flatMap((statement) => {
    const { text, corrects } = statement
    const subject = subjects.find((name) => text.startsWith(name))
    if (subject !== undefined) return [{ statement, rest: text.slice(subject.length) }]
    // A correction need not name whom it is of.
    const [rest] = subjects.flatMap((name) =>
      (corrects ?? []).flatMap((start) => (start.startsWith(name) ? [start.slice(name.length)] : [])),
    )
    return rest === undefined ? [] : [{ statement, rest: `${rest} ${text}` }]
  })
  const rows = topic.told.map((form) => rests.filter(({ rest }) => form.test(rest)))
  return rows.filter((row) => row.length > 0).map((row) => row.map(({ statement }) => statement))
}

/** Whether a sentence that is no fact may answer it. */
export const maySay = (text: string, { topic, who }: AskedTopic): boolean =>
  topic.said.test(text) && (who === 'you' || text.includes(who.replace(/^your /i, '')))

/** All names under which facts tell of somebody: "your sister" is Liv where a fact says so, and Liv is your sister. */
function subjectsOf(who: string, facts: readonly Statement[], owner: string): readonly string[] {
  if (who === 'you' || owner === who || owner.startsWith(`${who} `)) return [owner]
  const kin = facts.flatMap(({ text }) => {
    const [, word, name] = text.startsWith(owner) ? (KIN_FACT.exec(text.slice(owner.length)) ?? []) : []
    return word !== undefined && name !== undefined ? [{ word, name }] : []
  })
  const word = /^your (.*)$/i.exec(who)?.[1]
  const isMeant = (one: (typeof kin)[number]) => (word === undefined ? one.name === who : one.word === word)
  const meant = kin.filter(isMeant)
  return [
    ...(word === undefined ? [who] : [`${owner}'s ${word}`]),
    ...meant.map((one) => (word === undefined ? `${owner}'s ${one.word}` : one.name)),
  ]
}

const KIN_FACT = /^['’]s (\p{Ll}[\p{L}-]*) (?:is|was) (\p{Lu}\p{L}+)/u
