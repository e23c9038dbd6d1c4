import type { Json } from '@parley/contracts'
import type { ToolDeclaration } from '@parley/engine'
import { asksOrWishes } from './asks.ts'
import { phraseFor } from './phrase-for.ts'
import { propertiesOf, requiredOf } from './tool-parameters.ts'
import { stemsOf } from './stems-of.ts'

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
