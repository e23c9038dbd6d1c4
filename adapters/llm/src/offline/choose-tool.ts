import { type Json, NUMBER_WORDS, type ToolOutcome } from '@parley/contracts'
import type { ToolDeclaration } from '@parley/engine'
import { toJsonObject } from '../to-json-object.ts'
import { isRequestOrWish, toStems } from './english.ts'

/** One step of the offline model: a text, a tool call, or both in this order. */
export interface OfflineStep {
  readonly text: string
  readonly call?: ToolRequest
}

interface ToolRequest {
  readonly name: string
  readonly input: Json
}

/** The tool whose words match the question best, if the question also contains its required input. */
export function chooseTool(question: string, tools: readonly ToolDeclaration[]): ToolRequest | undefined {
  if (question.length > MAX_REQUEST_LENGTH || REFUSES.test(question)) return undefined
  const words = new Set(toStems(question))
  const matches = tools
    .filter(({ name }) => !CALL_TOOLS.has(name))
    .map((tool) => ({ tool, score: scoreTool(tool, words, question) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
  const [best, second] = matches
  if (!best || best.score === second?.score) return undefined
  const input = deriveInput(best.tool, question)
  return input && { name: best.tool.name, input }
}

const MAX_REQUEST_LENGTH = 300
const REFUSES = /\b(?:not|never|cannot)\b|n['’]t\b/i

/** A provider's tools for the call itself, which words alone must not trigger. */
const CALL_TOOLS: ReadonlySet<string> = new Set([
  'end_call',
  'skip_turn',
  'language_detection',
  'transfer_to_agent',
  'transfer_to_number',
  'play_keypad_touch_tone',
  'voicemail_detection',
])

/** Words that do not identify a tool. */
const GENERIC_STEMS = new Set(
  toStems(
    'get fetch find check look up lookup search read retrieve query tool api info information data current',
  ),
)

/** Above zero if the question has all words of the name, or one of them and one of the description. */
function scoreTool(
  { name, description }: ToolDeclaration,
  words: ReadonlySet<string>,
  question: string,
): number {
  const nameStems = findIdentifyingStems(splitName(name))
  const named = nameStems.filter((stem) => words.has(stem))
  const described = findIdentifyingStems(description).filter(
    (stem) => words.has(stem) && !named.includes(stem),
  )
  const isStrong = named.length > 0 && (named.length === nameStems.length || described.length > 0)
  const first = toStems(question)[0]
  const isRequest = isRequestOrWish(question) || (first !== undefined && nameStems[0] === first)
  return isStrong && isRequest ? named.length * 2 + described.length : 0
}

const findIdentifyingStems = (text: string): readonly string[] =>
  [...new Set(toStems(text))].filter((stem) => !GENERIC_STEMS.has(stem))

const splitName = (name: string): string => name.replace(/([a-z])([A-Z])/g, '$1 $2').replace(/[_-]+/g, ' ')

/** Undefined if the question lacks the value, or the tool requires several. */
function deriveInput(tool: ToolDeclaration, question: string): Readonly<Record<string, Json>> | undefined {
  const [name, another] = getRequiredNames(tool)
  if (name === undefined) return {}
  if (another !== undefined) return undefined
  const value = findValue(name, getProperties(tool)[name], tool, question)
  return value === undefined ? undefined : { [name]: value }
}

function findValue(
  name: string,
  schema: Json | undefined,
  tool: ToolDeclaration,
  question: string,
): Json | undefined {
  const property = toJsonObject(schema)
  if (!property) return undefined
  if (Array.isArray(property['enum'])) return findMentioned(property['enum'], question)
  if (property['type'] === 'integer') return findNumber(question, /^\d+$/)
  if (property['type'] === 'number') return findNumber(question, /^\d+(?:\.\d+)?$/)
  if (property['type'] !== 'string') return undefined
  if (/^(?:query|question|text|message|request)$/i.test(name)) return question
  return findPhrase({ name, about: `${splitName(tool.name)} ${tool.description}` }, question)
}

function findMentioned(allowed: readonly Json[], question: string): Json | undefined {
  const words = toStems(question)
  const matches = allowed.filter((value) => {
    const stems = typeof value === 'string' ? toStems(splitName(value)) : []
    return stems.length > 0 && stems.every((stem) => words.includes(stem))
  })
  return matches.length === 1 ? matches[0] : undefined
}

const COUNTS = ['zero', ...NUMBER_WORDS]

function findNumber(question: string, shape: RegExp): number | undefined {
  const words = question.toLowerCase().match(/[a-z]+|\d+(?:\.\d+)?/g) ?? []
  const numbers = words.flatMap((word) => {
    if (shape.test(word)) return [Number(word)]
    const value = COUNTS.indexOf(word)
    return value < 0 ? [] : [value]
  })
  return numbers.length === 1 ? numbers[0] : undefined
}

interface TextParameter {
  readonly name: string
  /** The words of its tool, which are not part of the value. */
  readonly about: string
}

/** The words of a question that are likely the value of a text parameter. */
function findPhrase({ name, about }: TextParameter, question: string): string | undefined {
  const quoted = /["“”]([^"“”]{1,100})["“”]/.exec(question)?.[1]
  if (quoted !== undefined) return quoted
  const runs = findWordRuns(question, new Set([...toStems(about), ...toStems(name.replaceAll('_', ' '))]))
  if (/(?:^|_|-)(?:id|number|code|reference|no)$|Id$/.test(name))
    return runs.flatMap(({ words }) => words).find((word) => /\d/.test(word))
  const run = runs.findLast(({ isPlaced }) => isPlaced) ?? runs.at(-1)
  return run?.words.join(' ')
}

interface WordRun {
  readonly words: string[]
  /** Follows a preposition. */
  readonly isPlaced: boolean
}

const PREPOSITION = /^(?:in|for|of|at|about|to|on|from|near|with|called|named)$/i
const FILLER =
  /^(?:like|today|tomorrow|tonight|yesterday|now|right|please|currently|want|need|check|look|find|hello|hi|hey|okay|up|called|named)$/i

/** Consecutive words that are neither fillers nor words of the tool. */
function findWordRuns(question: string, known: ReadonlySet<string>): readonly WordRun[] {
  const runs: WordRun[] = []
  let open: WordRun | undefined
  let before = ''
  for (const [word] of question.matchAll(/[\p{L}\p{N}](?:[\p{L}\p{N}'’-]*[\p{L}\p{N}])?/gu)) {
    const stems = toStems(word)
    const counts = !FILLER.test(word) && stems.length > 0 && !stems.every((stem) => known.has(stem))
    if (!counts) open = undefined
    else if (open) open.words.push(word)
    else {
      // An article may follow the preposition: "for the Oslo office".
      open = { words: [word], isPlaced: PREPOSITION.test(before) }
      runs.push(open)
    }
    if (!/^(?:the|a|an|my|your|our)$/i.test(word)) before = word
  }
  return runs
}

/** What the person hears about a failed call. */
export const describeToolFailure = ({ code }: Extract<ToolOutcome, { kind: 'failed' }>): string =>
  code === 'tool_denied'
    ? 'I am not allowed to do that here.'
    : 'That did not work. Please try again in a moment.'

/** A tool's parameters by name. */
export const getProperties = ({
  inputSchema: { properties },
}: ToolDeclaration): Readonly<Record<string, Json>> => toJsonObject(properties) ?? {}

/** The names of the required parameters. */
export const getRequiredNames = ({ inputSchema: { required } }: ToolDeclaration): readonly string[] =>
  Array.isArray(required) ? required.filter((name) => typeof name === 'string') : []
