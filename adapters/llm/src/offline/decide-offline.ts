import { CONVERSATION_OVER, type Json, type ToolOutcome, removeFence } from '@parley/contracts'
import type { LlmMessage, ModelRequest, ToolDeclaration } from '@parley/engine'
import { answerOffline, isSmallTalk } from './answer-offline.ts'
import { withBirth } from './choose-statements.ts'
import { chooseTool, propertiesOf, requiredOf } from './choose-tool.ts'
import { askNextQuestion } from './interview.ts'
import { foundTexts, parsedJson, passagesOf, rank } from './material.ts'
import { type Persona, personaOf, smallTalk } from './persona.ts'
import { looksSecret, promptFacts } from './prompt-facts.ts'
import { rememberOrCorrect } from './remember-and-correct.ts'
import { askedOfYou, wholeQuestion, withNames } from './resolve-question.ts'
import { asSentence } from './statement.ts'
import { askedTopic } from './topics.ts'

/** What the offline model does in one step: says something, calls a tool, or both in this order. */
export interface OfflineStep {
  readonly text: string
  readonly call?: { readonly name: string; readonly input: Json }
}

/**
 * It calls two kinds of tools of its own accord: the one that looks things up, and the one that ends a call. As the agent
 * of a voice provider it also calls one that the question names by its words. As an interviewer it asks.
 */
export function decideOffline({
  system,
  messages: given,
  tools,
  conversation,
}: Pick<ModelRequest, 'system' | 'messages' | 'tools' | 'conversation'>): OfflineStep {
  const messages = given.filter(({ isNote }) => !isNote)
  const asked = messages.findLastIndex(({ role }) => role === 'user')
  const question = textOf(messages[asked]).trim()
  const farewell = tools.find(({ name }) => name === 'end_call')
  if (farewell && FAREWELL.test(question.slice(-LONGEST_FAREWELL)) && !question.includes('?'))
    return { text: 'Goodbye.', call: { name: farewell.name, input: { reason: 'The person said goodbye.' } } }

  const outcome = messages
    .slice(asked + 1)
    .flatMap(({ content }) => content)
    .find((part) => part.type === 'tool_result')?.outcome
  if (farewell && outcome && saysOver(outcome))
    return {
      text: 'This conversation is over. Goodbye.',
      call: { name: farewell.name, input: { reason: 'A tool said that the conversation is over.' } },
    }

  const next = askNextQuestion(system, messages)
  if (next !== undefined) return { text: next }

  const lookUp = lookUpOf(tools)
  const persona = personaOf(system)
  const isHosted = persona !== undefined || conversation !== undefined
  const said = persona ? withNames(askedOfYou(messages, `${persona.name} ${persona.owner}`)) : messages
  if (persona) {
    const talk = smallTalk(textOf(said[asked]).trim(), persona)
    if (talk !== undefined) return { text: talk }
    const step = rememberOrCorrect({ said: question, messages, tools, persona, outcome })
    if (step) return step
  }
  if (question !== '' && !isSmallTalk(question)) {
    const others = isHosted ? tools.filter(({ name }) => name !== lookUp?.tool && mayCall(name, persona)) : []
    const chosen = chooseTool(question, others)
    if (chosen) return outcome ? { text: tellResult(outcome, question) } : { text: '', call: chosen }
    if (lookUp && !outcome)
      return {
        text: '',
        call: {
          name: lookUp.tool,
          input: { [lookUp.parameter]: isHosted ? inMoreWords(wholeQuestion(said).text) : question },
        },
      }
    if (lookUp && outcome?.kind === 'failed')
      return { text: 'I could not look that up just now. Please ask me again in a moment.' }
  }
  const facts = isHosted
    ? promptFacts(
        system,
        tools.map(({ name }) => name),
      )
    : []
  return { text: answerOffline(said, { isHosted, looksUp: lookUp !== undefined, facts, persona }) }
}

/** What a reflection's policy does not name is not called, though it is offered. */
const mayCall = (tool: string, persona: Persona | undefined): boolean =>
  persona === undefined || !WRITING.has(tool) || persona.actions.includes(tool)

const WRITING: ReadonlySet<string> = new Set(['request-source-ingest', 'propose-fact-correction'])

const LONGEST_FAREWELL = 60
const FAREWELL =
  /\b(good ?-?bye|bye|hang up|end (the|this|our) call|see you (later|soon)|that(’s| is|'s|was) all)\b/i

/** Whether a tool says, with a refusal or beside its results, that its conversation is over. */
function saysOver({ kind, text }: ToolOutcome): boolean {
  if (kind === 'failed') return text.includes(CONVERSATION_OVER)
  const answer = parsedJson(removeFence(text))
  const isObject = typeof answer === 'object' && answer !== null && !Array.isArray(answer)
  return isObject && typeof answer['message'] === 'string' && answer['message'].includes(CONVERSATION_OVER)
}

interface LookUp {
  readonly tool: string
  readonly parameter: string
}

/** A tool that says of itself that it retrieves, or that takes a query and nothing else. */
function lookUpOf(tools: readonly ToolDeclaration[]): LookUp | undefined {
  const named = tools.find(({ name }) => /retrieve[-_]?context/i.test(name))
  const parameter = named && queryOf(named)
  if (named && parameter !== undefined) return { tool: named.name, parameter }
  const plain = tools.filter(
    (tool) => queryOf(tool) === 'query' && Object.keys(propertiesOf(tool)).length === 1,
  )
  const [only] = plain
  return only && plain.length === 1 ? { tool: only.name, parameter: 'query' } : undefined
}

/** The one text that has to be given. */
function queryOf(tool: ToolDeclaration): string | undefined {
  const properties = propertiesOf(tool)
  const names = requiredOf(tool)
  const [only] = names
  return names.length === 1 && only !== undefined && isText(properties[only]) ? only : undefined
}

const isText = (property: Json | undefined): boolean =>
  typeof property === 'object' &&
  property !== null &&
  !Array.isArray(property) &&
  property['type'] === 'string'

const textOf = (message: LlmMessage | undefined): string =>
  (message?.content ?? []).flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')

/** The search text of a question, with the words that sources use for its topic. */
function inMoreWords(question: string): string {
  const more = askedTopic(question)?.topic.lookUp ?? ''
  return more === '' ? withBirth(question) : `${question} ${more}`
}

/** What a tool's answer says to a question, in plain sentences. */
function tellResult(outcome: ToolOutcome, question: string): string {
  if (outcome.kind !== 'ok')
    return FAILED[outcome.code] ?? 'That did not work just now. Please ask me again in a moment.'
  const answer = removeFence(outcome.text).slice(0, READ_AT_MOST)
  const passages = foundTexts(answer).flatMap(({ text, title }) => passagesOf(text, 'result', title))
  const hits = rank(passages, question).map(({ passage }) => passage)
  const told = (hits.length > 0 ? hits : passages).slice(0, 2)
  if (told.length > 0) return told.map(({ text }) => asSentence(text)).join(' ')
  const json = parsedJson(answer)
  const values = json === undefined ? [] : valuesIn(json, '', DEEPEST)
  return values.length > 0 ? values.slice(0, MOST_VALUES).join(' ') : 'Done.'
}

/** What would fail again. */
const FAILED: Readonly<Record<string, string>> = { tool_denied: 'I am not allowed to do that here.' }

const READ_AT_MOST = 100_000
const MOST_VALUES = 6
const DEEPEST = 4
const LONGEST_VALUE = 200

/** "Temperature: 12." for each value, under its name. */
function valuesIn(value: Json, name: string, levels: number): readonly string[] {
  if (value === null || levels === 0) return []
  if (Array.isArray(value)) return value.flatMap((item) => valuesIn(item, name, levels - 1))
  if (typeof value === 'object')
    return Object.entries(value).flatMap(([inner, held]) => valuesIn(held, inner, levels - 1))
  const text = String(value).replace(/\s+/g, ' ').trim()
  if (text === '' || text.length > LONGEST_VALUE || looksSecret(text)) return []
  return [asSentence(name === '' ? text : `${asLabel(name)}: ${text}`)]
}

function asLabel(name: string): string {
  const words = name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replace(/_+/g, ' ')
    .trim()
  return words.charAt(0).toUpperCase() + words.slice(1)
}
