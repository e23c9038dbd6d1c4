import type { Json } from '@parley/contracts'
import type { ToolDeclaration } from '@parley/engine'
import { asksOrWishes, stemsOf } from './english.ts'

interface ChosenTool {
  readonly name: string
  readonly input: Json
}

/** The one tool whose words the question has, where the question also says all that the tool needs. */
export function chooseTool(question: string, tools: readonly ToolDeclaration[]): ChosenTool | undefined {
  if (question.length > LONGEST_REQUEST || REFUSES.test(question)) return undefined
  const asked = new Set(stemsOf(question))
  const matches = tools
    .filter(({ name }) => !OF_THE_CALL.has(name))
    .map((tool) => ({ tool, score: scoreOf(tool, asked, question) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
  const [best, second] = matches
  if (!best || best.score === second?.score) return undefined
  const input = inputFor(best.tool, question)
  return input && { name: best.tool.name, input }
}

const LONGEST_REQUEST = 300
const REFUSES = /\b(?:not|never|cannot)\b|n['’]t\b/i

/** What a provider offers for the call itself; words alone are no reason for these. */
const OF_THE_CALL: ReadonlySet<string> = new Set([
  'end_call',
  'skip_turn',
  'language_detection',
  'transfer_to_agent',
  'transfer_to_number',
  'play_keypad_touch_tone',
  'voicemail_detection',
])

/** Words that say nothing of what a tool is about. */
const EMPTY = new Set(
  stemsOf(
    'get fetch find check look up lookup search read retrieve query tool api info information data current',
  ),
)

/** Above zero where all words of the name are there, or one of them and another of the description. */
function scoreOf(
  { name, description }: ToolDeclaration,
  asked: ReadonlySet<string>,
  question: string,
): number {
  const ofName = telling(wordsIn(name))
  const named = ofName.filter((stem) => asked.has(stem))
  const described = telling(description).filter((stem) => asked.has(stem) && !named.includes(stem))
  const isStrong = named.length > 0 && (named.length === ofName.length || described.length > 0)
  const first = stemsOf(question)[0]
  const isRequest = asksOrWishes(question) || (first !== undefined && ofName[0] === first)
  return isStrong && isRequest ? named.length * 2 + described.length : 0
}

const telling = (text: string): readonly string[] =>
  [...new Set(stemsOf(text))].filter((stem) => !EMPTY.has(stem))

const wordsIn = (name: string): string => name.replace(/([a-z])([A-Z])/g, '$1 $2').replace(/[_-]+/g, ' ')

/** Undefined where the question does not say it: more than one value is too much to guess. */
function inputFor(tool: ToolDeclaration, question: string): Readonly<Record<string, Json>> | undefined {
  const [name, another] = requiredOf(tool)
  if (name === undefined) return {}
  if (another !== undefined) return undefined
  const value = valueFor(name, propertiesOf(tool)[name], tool, question)
  return value === undefined ? undefined : { [name]: value }
}

function valueFor(
  name: string,
  property: Json | undefined,
  tool: ToolDeclaration,
  question: string,
): Json | undefined {
  if (typeof property !== 'object' || property === null || Array.isArray(property)) return undefined
  if (Array.isArray(property['enum'])) return mentioned(property['enum'], question)
  if (property['type'] === 'integer') return numberIn(question, /^\d+$/)
  if (property['type'] === 'number') return numberIn(question, /^\d+(?:\.\d+)?$/)
  if (property['type'] !== 'string') return undefined
  if (/^(?:query|question|text|message|request)$/i.test(name)) return question
  return phraseFor({ name, about: `${wordsIn(tool.name)} ${tool.description}` }, question)
}

function mentioned(allowed: readonly Json[], question: string): Json | undefined {
  const asked = stemsOf(question)
  const found = allowed.filter((value) => {
    const stems = typeof value === 'string' ? stemsOf(wordsIn(value)) : []
    return stems.length > 0 && stems.every((stem) => asked.includes(stem))
  })
  return found.length === 1 ? found[0] : undefined
}

const NUMBER_WORDS = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ')

function numberIn(question: string, shape: RegExp): number | undefined {
  const words = question.toLowerCase().match(/[a-z]+|\d+(?:\.\d+)?/g) ?? []
  const numbers = words.flatMap((word) => {
    if (shape.test(word)) return [Number(word)]
    const value = NUMBER_WORDS.indexOf(word)
    return value < 0 ? [] : [value]
  })
  return numbers.length === 1 ? numbers[0] : undefined
}

interface Wanted {
  /** Of the parameter. */
  readonly name: string
  /** The words of its tool: what a question shares with them is not the value. */
  readonly about: string
}

/** The words of a question that a tool's one text is likely meant to be. */
function phraseFor({ name, about }: Wanted, question: string): string | undefined {
  const quoted = /["“”]([^"“”]{1,100})["“”]/.exec(question)?.[1]
  if (quoted !== undefined) return quoted
  const runs = runsOf(question, new Set([...stemsOf(about), ...stemsOf(name.replaceAll('_', ' '))]))
  if (/(?:^|_|-)(?:id|number|code|reference|no)$|Id$/.test(name))
    return runs.flatMap(({ words }) => words).find((word) => /\d/.test(word))
  const run = runs.findLast(({ isPlaced }) => isPlaced) ?? runs.at(-1)
  return run?.words.join(' ')
}

interface Run {
  readonly words: string[]
  /** A preposition stands before it. */
  readonly isPlaced: boolean
}

const PREPOSITION = /^(?:in|for|of|at|about|to|on|from|near|with|called|named)$/i
const BESIDE_THE_POINT =
  /^(?:like|today|tomorrow|tonight|yesterday|now|right|please|currently|want|need|check|look|find|hello|hi|hey|okay|up|called|named)$/i

/** Words that stand together, and say something that the tool's own words do not. */
function runsOf(question: string, known: ReadonlySet<string>): readonly Run[] {
  const runs: Run[] = []
  let open: Run | undefined
  let before = ''
  for (const [word] of question.matchAll(/[\p{L}\p{N}](?:[\p{L}\p{N}'’-]*[\p{L}\p{N}])?/gu)) {
    const stems = stemsOf(word)
    const counts = !BESIDE_THE_POINT.test(word) && stems.length > 0 && !stems.every((stem) => known.has(stem))
    if (!counts) open = undefined
    else if (open) open.words.push(word)
    else {
      // An article may stand between: "for the Oslo office".
      open = { words: [word], isPlaced: PREPOSITION.test(before) }
      runs.push(open)
    }
    if (!/^(?:the|a|an|my|your|our)$/i.test(word)) before = word
  }
  return runs
}

/** What a tool takes, by name. */
export const propertiesOf = ({
  inputSchema: { properties },
}: ToolDeclaration): Readonly<Record<string, Json>> =>
  typeof properties === 'object' && properties !== null && !Array.isArray(properties) ? properties : {}

/** What of it has to be given. */
export const requiredOf = ({ inputSchema: { required } }: ToolDeclaration): readonly string[] =>
  Array.isArray(required) ? required.filter((name) => typeof name === 'string') : []
