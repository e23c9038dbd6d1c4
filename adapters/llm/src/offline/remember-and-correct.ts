import type { Json, ToolOutcome } from '@parley/contracts'
import type { LlmMessage, ToolDeclaration } from '@parley/engine'
import { foundTexts } from './material.ts'
import type { Persona } from './persona.ts'
import { asSentence, inFirstPerson, sayStatement, statementsOf } from './statement.ts'

interface Talk {
  readonly said: string
  readonly messages: readonly LlmMessage[]
  readonly tools: readonly ToolDeclaration[]
  readonly persona: Persona
  /** Of the tool, where it was called to this already. */
  readonly outcome: ToolOutcome | undefined
}

interface Step {
  readonly text: string
  readonly call?: { readonly name: string; readonly input: Json }
}

/** Handles "remember that …" and "that is wrong"; undefined for any other message. */
export function rememberOrCorrect(talk: Talk): Step | undefined {
  const said = talk.said.trim()
  if (said.length > LONGEST_MESSAGE) return undefined
  const kept = textToKeep(said)
  if (kept !== undefined) return handedIn(KEEPING, { text: kept }, talk)
  const denied = deniedFact(said)
  if (denied) return handedIn(CORRECTING, correctionOf(denied, talk), talk)
  const right = whatIsRight(said, talk.persona)
  if (right === undefined) return undefined
  const fact = factTold(talk)
  const input = fact !== undefined && right !== '' ? { fact, correction: right } : undefined
  return handedIn(CORRECTING, input, talk)
}

const LONGEST_MESSAGE = 20_000

/** The last answer is quoted in the words of its source, where it is the denied fact. */
function correctionOf({ fact, wrong, right }: DeniedFact, talk: Talk) {
  const told = factTold(talk)
  return {
    fact: told?.includes(wrong) ? told : inThirdPerson(fact, talk.persona),
    correction: inThirdPerson(right, talk.persona),
  }
}

interface Taking {
  readonly tool: string
  readonly done: string
  readonly cannot: string
  /** The reply where the message is unclear. */
  readonly unclear: string
}

const KEEPING: Taking = {
  tool: 'request-source-ingest',
  done: 'Thank you. I have handed that in: it is read now, and counts once it is approved.',
  cannot: 'I cannot keep that here. Who looks after this reflection can add it to the sources.',
  unclear: 'What would you like me to keep? Tell me in a sentence.',
}
const CORRECTING: Taking = {
  tool: 'propose-fact-correction',
  done: 'Thank you. I have proposed that correction: the fact stays as it is until it is approved.',
  cannot: 'I cannot correct that here. Who looks after this reflection can.',
  unclear:
    'I would like to get that right. Ask me about it first, then say "That is wrong" and what is right, in a whole sentence.',
}

function handedIn(
  taking: Taking,
  input: Readonly<Record<string, string>> | undefined,
  { tools, persona, outcome }: Talk,
): Step {
  if (outcome?.kind === 'ok') return { text: taking.done }
  if (outcome)
    return { text: FAILED[outcome.code] ?? 'That did not work just now. Please try again in a moment.' }
  const tool = tools.find(({ name }) => name.replaceAll('_', '-') === taking.tool)
  if (!tool || !persona.actions.includes(taking.tool)) return { text: taking.cannot }
  return input ? { text: '', call: { name: tool.name, input } } : { text: taking.unclear }
}

const FAILED: Readonly<Record<string, string>> = { tool_denied: 'I am not allowed to do that here.' }

const POLITE = String.raw`(?:(?:please|also|and|so|now|hi|hello|hey)[ ,]+)*(?:(?:can|could|will|would) you (?:please )?)?`
const KEEP = new RegExp(
  String.raw`^${POLITE}(?:(?:remember|note|don['’]t forget|do not forget|keep in mind|bear in mind|write down|make a note|take note)(?: (?:this|of this|of that))?(?:[,:]? that\b|\s*[:,-]\s*|\s+(?=(?:I|my|we|our|you|your|the|he|she|they|it)\b))|(?:add|save|put)(?: (?:this|that|it))? (?:to|in|into) (?:my|your|the|our) (?:memory|memories|sources?|knowledge|notes)(?:[,:]? that\b|\s*[:,-]\s*|\s+)|(?:keep|learn|store|save) (?:this|that)(?: for good)?\s*[:,-]\s*)(.+)$`,
  'is',
)

/** "Remember that I love tea" gives "I love tea."; a question about memories gives nothing. */
function textToKeep(said: string): string | undefined {
  const text = KEEP.exec(said)?.[1]?.trim()
  if (text === undefined || (said.endsWith('?') && !/^(?:please |(?:can|could|will|would) you )/i.test(said)))
    return undefined
  return capital(asSentence(text.replace(/[?\s]+$/, '')))
}

const WRONG =
  /^(?:no[,.!]? )?(?:(?:that|this|it)(?:['’]s| is| was)?(?: just| simply)? (?:wrong|not (?:right|true|correct|so)|incorrect|untrue|false|a mistake)|(?:that|this|it) isn['’]t (?:right|true|correct)|you(?:['’]re| are) (?:wrong|mistaken)(?: about [^.,:;!]{1,80})?|(?:please )?correct (?:that|this|it|yourself|the|my|your)\b[^.,:;!]{0,80})(?:[\s,.:;!–-]+(.*))?$/is

/** The correction; empty where the message gives none in a whole sentence. */
function whatIsRight(said: string, persona: Persona): string | undefined {
  const matched = WRONG.exec(said)
  if (!matched || said.endsWith('?')) return undefined
  const right = (matched[1] ?? '')
    .trim()
    .replace(/^(?:actually|in fact|in truth|rather|it should be|it is that)[ ,:]+/i, '')
  const isSentence =
    right.startsWith(persona.owner.split(' ')[0] ?? persona.owner) ||
    /^(?:I|my|you|your|we|he|she|they|his|her|the)\b(?: \S+){2,}/i.test(right)
  if (!isSentence) return ''
  return inThirdPerson(right, persona)
}

/** "You were" and "your" mean the person of the reflection. */
const inThirdPerson = (sentence: string, { owner: name }: Persona): string =>
  capital(
    asSentence(
      sentence
        .replace(
          /^you (were|are|have)\b/i,
          (_, verb: string) => `${name} ${THIRD[verb.toLowerCase()] ?? verb}`,
        )
        .replace(/^your\b/i, `${name}'s`),
    ),
  )

const THIRD: Readonly<Record<string, string>> = { were: 'was', are: 'is', have: 'has' }

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** The statement that was last told, in the words of its source. */
function factTold({ messages, persona: { owner: name } }: Talk): string | undefined {
  const last = messages.findLastIndex(({ role }) => role === 'user')
  const before = messages.slice(0, last)
  const told = textOf(before.findLast((message) => message.role === 'assistant' && textOf(message) !== ''))
  const result = before.flatMap(({ content }) => content).findLast((part) => part.type === 'tool_result')
  if (result?.outcome.kind !== 'ok') return undefined
  const statements = foundTexts(result.outcome.text)
    .flatMap((found, place) => statementsOf(found, place, name))
    .filter((statement) =>
      [statement.text, inFirstPerson(statement.text, name)].some((text) =>
        told.includes(sayStatement({ ...statement, text }, name)),
      ),
    )
  return (statements.find(({ isFact }) => isFact) ?? statements[0])?.text
}

const textOf = (message: LlmMessage | undefined): string =>
  (message?.content ?? []).flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')

/** What somebody denies, and what they say in its place, each as a whole sentence. */
interface DeniedFact {
  readonly fact: string
  /** The part of it that is said to be wrong. */
  readonly wrong: string
  readonly right: string
}

/** "Your wife is not Ingrid, she is Anna." Undefined where nothing is denied so. */
function deniedFact(said: string): DeniedFact | undefined {
  if (said.length > LONGEST_DENIAL) return undefined
  const [, subject = '', verb = '', wrong = '', right = ''] = DENIES.exec(said.trim()) ?? []
  if (subject === '') return undefined
  return {
    fact: asSentence(`${subject} ${verb} ${wrong}`),
    wrong,
    right: asSentence(`${subject} ${verb} ${right.replace(/[.!\s]+$/, '')}`),
  }
}

const LONGEST_DENIAL = 300
const DENIES =
  /^(?:no[,.!]? )?((?:your|my) [\p{L}-]+(?: [\p{L}-]+)?|you|I) (am|is|are|was|were)(?: not|n['’]t) ([^,;.?]+)[,;.]? (?:but |(?:she|he|it|they|you|I)(?: (?:am|is|are|was|were)|['’](?:s|re|m)) )([^?]+)$/iu
