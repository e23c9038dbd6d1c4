import type { ToolOutcome } from '@parley/contracts'
import type { LlmMessage, ToolDeclaration } from '@parley/engine'
import { readToolResult, readMessageText } from './answer-material.ts'
import { type OfflineStep, describeToolFailure } from './choose-tool.ts'
import type { Persona } from './persona.ts'
import { toSentence, toFirstPerson, formatStatement, extractStatements } from './statement.ts'

interface MemoryRequest {
  /** The person's message. */
  readonly text: string
  readonly messages: readonly LlmMessage[]
  readonly tools: readonly ToolDeclaration[]
  readonly persona: Persona
  /** The outcome of the tool, if it was called for this message. */
  readonly outcome: ToolOutcome | undefined
}

/** Handles "remember that …" and "that is wrong"; undefined for any other message. */
export function rememberOrCorrect(request: MemoryRequest): OfflineStep | undefined {
  const message = request.text.trim()
  if (message.length > MAX_MESSAGE_LENGTH) return undefined
  const text = findTextToKeep(message)
  if (text !== undefined) return submitAction(REMEMBER_ACTION, { text }, request)
  const denial = parseDenial(message)
  if (denial) return submitAction(CORRECT_ACTION, toCorrection(denial, request), request)
  const correction = parseCorrection(message, request.persona)
  if (correction === undefined) return undefined
  const fact = findLastFact(request)
  const input = fact !== undefined && correction !== '' ? { fact, correction } : undefined
  return submitAction(CORRECT_ACTION, input, request)
}

const MAX_MESSAGE_LENGTH = 20_000

/** Uses the words of the source if the person denies the last answer. */
function toCorrection({ fact, wrong, right }: Denial, request: MemoryRequest) {
  const last = findLastFact(request)
  return {
    fact: last?.includes(wrong) ? last : toThirdPerson(fact, request.persona),
    correction: toThirdPerson(right, request.persona),
  }
}

/** A tool, and the replies around its call. */
interface WriteAction {
  readonly tool: string
  readonly done: string
  readonly cannot: string
  readonly unclear: string
}

const REMEMBER_ACTION: WriteAction = {
  tool: 'request-source-ingest',
  done: 'Thank you. I saved that as a suggestion. It is used once it is approved.',
  cannot: 'I cannot keep that here. An owner of this reflection can add it to the sources.',
  unclear: 'What would you like me to keep? Tell me in a sentence.',
}
const CORRECT_ACTION: WriteAction = {
  tool: 'propose-fact-correction',
  done: 'Thank you. I have proposed that correction: the fact stays as it is until it is approved.',
  cannot: 'I cannot correct that here. An owner of this reflection can.',
  unclear:
    'I would like to get that right. Ask me about it first, then say "That is wrong" and what is right, in a whole sentence.',
}

function submitAction(
  action: WriteAction,
  input: Readonly<Record<string, string>> | undefined,
  { tools, persona, outcome }: MemoryRequest,
): OfflineStep {
  if (outcome) return { text: outcome.kind === 'ok' ? action.done : describeToolFailure(outcome) }
  const tool = tools.find(({ name }) => name.replaceAll('_', '-') === action.tool)
  if (!tool || !persona.actions.includes(action.tool)) return { text: action.cannot }
  return input ? { text: '', call: { name: tool.name, input } } : { text: action.unclear }
}

const POLITE = String.raw`(?:(?:please|also|and|so|now|hi|hello|hey)[ ,]+)*(?:(?:can|could|will|would) you (?:please )?)?`
const ASKS_TO_KEEP = new RegExp(
  String.raw`^${POLITE}(?:(?:remember|note|don['’]t forget|do not forget|keep in mind|bear in mind|write down|make a note|take note)(?: (?:this|of this|of that))?(?:[,:]? that\b|\s*[:,-]\s*|\s+(?=(?:I|my|we|our|you|your|the|he|she|they|it)\b))|(?:add|save|put)(?: (?:this|that|it))? (?:to|in|into) (?:my|your|the|our) (?:memory|memories|sources?|knowledge|notes)(?:[,:]? that\b|\s*[:,-]\s*|\s+)|(?:keep|learn|store|save) (?:this|that)(?: for good)?\s*[:,-]\s*)(.+)$`,
  'is',
)

/** "Remember that I love tea" gives "I love tea."; a question about memories gives nothing. */
function findTextToKeep(message: string): string | undefined {
  const text = ASKS_TO_KEEP.exec(message)?.[1]?.trim()
  const isQuestion = message.endsWith('?') && !/^(?:please |(?:can|could|will|would) you )/i.test(message)
  if (text === undefined || isQuestion) return undefined
  return capitalise(toSentence(text.replace(/[?\s]+$/, '')))
}

const SAYS_WRONG =
  /^(?:no[,.!]? )?(?:(?:that|this|it)(?:['’]s| is| was)?(?: just| simply)? (?:wrong|not (?:right|true|correct|so)|incorrect|untrue|false|a mistake)|(?:that|this|it) isn['’]t (?:right|true|correct)|you(?:['’]re| are) (?:wrong|mistaken)(?: about [^.,:;!]{1,80})?|(?:please )?correct (?:that|this|it|yourself|the|my|your)\b[^.,:;!]{0,80})(?:[\s,.:;!–-]+(.*))?$/is

/** The correction; '' if the message has none as a whole sentence; undefined if it denies nothing. */
function parseCorrection(message: string, persona: Persona): string | undefined {
  const matched = SAYS_WRONG.exec(message)
  if (!matched || message.endsWith('?')) return undefined
  const correction = (matched[1] ?? '')
    .trim()
    .replace(/^(?:actually|in fact|in truth|rather|it should be|it is that)[ ,:]+/i, '')
  const isSentence =
    correction.startsWith(persona.creator.split(' ')[0] ?? persona.creator) ||
    /^(?:I|my|you|your|we|he|she|they|his|her|the)\b(?: \S+){2,}/i.test(correction)
  return isSentence ? toThirdPerson(correction, persona) : ''
}

/** "You were" and "your" mean the person of the reflection. */
const toThirdPerson = (sentence: string, { creator: name }: Persona): string =>
  capitalise(
    toSentence(
      sentence
        .replace(
          /^you (were|are|have)\b/i,
          (_, verb: string) => `${name} ${THIRD[verb.toLowerCase()] ?? verb}`,
        )
        .replace(/^your\b/i, `${name}'s`),
    ),
  )

const THIRD: Readonly<Record<string, string>> = { were: 'was', are: 'is', have: 'has' }

const capitalise = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** The statement in the last answer, in the words of its source. */
function findLastFact({ messages, persona: { creator: name } }: MemoryRequest): string | undefined {
  const last = messages.findLastIndex(({ role }) => role === 'user')
  const before = messages.slice(0, last)
  const answer = readMessageText(
    before.findLast((message) => message.role === 'assistant' && readMessageText(message) !== ''),
  )
  const result = before.flatMap(({ content }) => content).findLast((part) => part.type === 'tool_result')
  if (result?.outcome.kind !== 'ok') return undefined
  const statements = readToolResult(result.outcome.text)
    .flatMap((text, rank) => extractStatements(text, rank, name))
    .filter((statement) =>
      [statement.text, toFirstPerson(statement.text, name)].some((text) =>
        answer.includes(formatStatement({ ...statement, text }, name)),
      ),
    )
  return (statements.find(({ isFact }) => isFact) ?? statements[0])?.text
}

/** A denied fact and its replacement, each as a whole sentence. */
interface Denial {
  readonly fact: string
  /** The wrong part of the fact. */
  readonly wrong: string
  readonly right: string
}

/** "Your wife is not Ingrid, she is Anna." Undefined for any other message. */
function parseDenial(message: string): Denial | undefined {
  if (message.length > MAX_DENIAL_LENGTH) return undefined
  const [, subject = '', verb = '', wrong = '', right = ''] = DENIES.exec(message.trim()) ?? []
  if (subject === '') return undefined
  return {
    fact: toSentence(`${subject} ${verb} ${wrong}`),
    wrong,
    right: toSentence(`${subject} ${verb} ${right.replace(/[.!\s]+$/, '')}`),
  }
}

const MAX_DENIAL_LENGTH = 300
const DENIES =
  /^(?:no[,.!]? )?((?:your|my) [\p{L}-]+(?: [\p{L}-]+)?|you|I) (am|is|are|was|were)(?: not|n['’]t) ([^,;.?]+)[,;.]? (?:but |(?:she|he|it|they|you|I)(?: (?:am|is|are|was|were)|['’](?:s|re|m)) )([^?]+)$/iu
