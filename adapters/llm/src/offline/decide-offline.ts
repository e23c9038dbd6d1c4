import {
  AgentAction,
  CONVERSATION_OVER,
  type Json,
  type ToolOutcome,
  isReadOnly,
  removeFence,
} from '@parley/contracts'
import type { ModelRequest, ToolDeclaration } from '@parley/engine'
import { asRecord } from '../as-record.ts'
import { answerOffline, isSmallTalk } from './answer-offline.ts'
import { addBirthWords } from './choose-statements.ts'
import { chooseTool, propertiesOf, requiredOf } from './choose-tool.ts'
import { askNextQuestion } from './interview.ts'
import { parseJson, parseResult, rankPassages, splitPassages, textOf } from './material.ts'
import { type Persona, readPersona, answerSmallTalk } from './persona.ts'
import { looksSecret, extractPromptFacts } from './prompt-facts.ts'
import { rememberOrCorrect } from './remember-and-correct.ts'
import { addressToYou, resolveQuestion, insertNames } from './resolve-question.ts'
import { asSentence } from './statement.ts'
import { findTopic } from './topics.ts'

/** One step of the offline model: a text, a tool call, or both in this order. */
export interface OfflineStep {
  readonly text: string
  readonly call?: { readonly name: string; readonly input: Json }
}

/**
 * Decides by rules. The model calls the search tool and the tool that ends a call; as the agent of a voice provider also a
 * tool whose words the question has. As an interviewer it asks questions.
 */
export function decideOffline({
  system,
  messages: given,
  tools,
  conversation,
}: Pick<ModelRequest, 'system' | 'messages' | 'tools' | 'conversation'>): OfflineStep {
  const messages = given.filter(({ isNote }) => !isNote)
  const last = messages.findLastIndex(({ role }) => role === 'user')
  const question = textOf(messages[last]).trim()
  const endCall = tools.find(({ name }) => name === 'end_call')
  if (endCall && FAREWELL.test(question.slice(-LONGEST_FAREWELL)) && !question.includes('?'))
    return { text: 'Goodbye.', call: { name: endCall.name, input: { reason: 'The person said goodbye.' } } }

  const outcome = messages
    .slice(last + 1)
    .flatMap(({ content }) => content)
    .find((part) => part.type === 'tool_result')?.outcome
  if (endCall && outcome && isConversationOver(outcome))
    return {
      text: 'This conversation is over. Goodbye.',
      call: { name: endCall.name, input: { reason: 'A tool said that the conversation is over.' } },
    }

  const next = askNextQuestion(system, messages)
  if (next !== undefined) return { text: next }

  const lookUp = findLookUpTool(tools)
  const persona = readPersona(system)
  const isHosted = persona !== undefined || conversation !== undefined
  const resolved = persona
    ? insertNames(addressToYou(messages, `${persona.name} ${persona.owner}`))
    : messages
  if (persona) {
    const smallTalk = answerSmallTalk(textOf(resolved[last]).trim(), persona)
    if (smallTalk !== undefined) return { text: smallTalk }
    const step = rememberOrCorrect({ text: question, messages, tools, persona, outcome })
    if (step) return step
  }
  if (question !== '' && !isSmallTalk(question)) {
    const others = isHosted ? tools.filter(({ name }) => name !== lookUp?.tool && mayCall(name, persona)) : []
    const chosen = chooseTool(question, others)
    if (chosen) return outcome ? { text: formatResult(outcome, question) } : { text: '', call: chosen }
    if (lookUp && !outcome)
      return {
        text: '',
        call: {
          name: lookUp.tool,
          input: { [lookUp.parameter]: isHosted ? toSearchText(resolveQuestion(resolved).text) : question },
        },
      }
    if (lookUp && outcome?.kind === 'failed')
      return { text: 'I could not look that up just now. Please ask me again in a moment.' }
  }
  const facts = isHosted
    ? extractPromptFacts(
        system,
        tools.map(({ name }) => name),
      )
    : []
  return { text: answerOffline(resolved, { isHosted, looksUp: lookUp !== undefined, facts, persona }) }
}

/** A reflection calls a writing tool only if its policy names it. */
const mayCall = (tool: string, persona: Persona | undefined): boolean =>
  persona === undefined || !storesSomething(tool) || persona.actions.includes(tool)

function storesSomething(tool: string): boolean {
  const action = AgentAction.safeParse(tool).data
  return action !== undefined && !isReadOnly(action)
}

const LONGEST_FAREWELL = 60
const FAREWELL =
  /\b(good ?-?bye|bye|hang up|end (the|this|our) call|see you (later|soon)|that(’s| is|'s|was) all)\b/i

/** Whether a tool reports, in a refusal or beside its results, that the conversation is over. */
function isConversationOver({ kind, text }: ToolOutcome): boolean {
  if (kind === 'failed') return text.includes(CONVERSATION_OVER)
  const message = asRecord(parseJson(removeFence(text)))?.['message']
  return typeof message === 'string' && message.includes(CONVERSATION_OVER)
}

interface LookUp {
  readonly tool: string
  readonly parameter: string
}

/** The search tool: by its name, or the only tool with a query as its only parameter. */
function findLookUpTool(tools: readonly ToolDeclaration[]): LookUp | undefined {
  const named = tools.find(({ name }) => /retrieve[-_]?context/i.test(name))
  const parameter = named && queryParameter(named)
  if (named && parameter !== undefined) return { tool: named.name, parameter }
  const plain = tools.filter(
    (tool) => queryParameter(tool) === 'query' && Object.keys(propertiesOf(tool)).length === 1,
  )
  const [only] = plain
  return only && plain.length === 1 ? { tool: only.name, parameter: 'query' } : undefined
}

/** The only required parameter, if it is a text. */
function queryParameter(tool: ToolDeclaration): string | undefined {
  const properties = propertiesOf(tool)
  const names = requiredOf(tool)
  const [only] = names
  return names.length === 1 && only !== undefined && isText(properties[only]) ? only : undefined
}

const isText = (property: Json | undefined): boolean => asRecord(property)?.['type'] === 'string'

/** The search text of a question, with the words that sources use for its topic. */
function toSearchText(question: string): string {
  const more = findTopic(question)?.topic.lookUp ?? ''
  return more === '' ? addBirthWords(question) : `${question} ${more}`
}

/** A tool's result for a question, in plain sentences. */
function formatResult(outcome: ToolOutcome, question: string): string {
  if (outcome.kind !== 'ok')
    return FAILED[outcome.code] ?? 'That did not work just now. Please ask me again in a moment.'
  const answer = removeFence(outcome.text).slice(0, MAX_CHARACTERS)
  const passages = parseResult(answer).flatMap(({ text, title }) => splitPassages(text, 'result', title))
  const hits = rankPassages(passages, question).map(({ passage }) => passage)
  const chosen = (hits.length > 0 ? hits : passages).slice(0, 2)
  if (chosen.length > 0) return chosen.map(({ text }) => asSentence(text)).join(' ')
  const json = parseJson(answer)
  const values = json === undefined ? [] : valuesIn(json, '', DEEPEST)
  return values.length > 0 ? values.slice(0, MOST_VALUES).join(' ') : 'Done.'
}

/** Failures that another attempt would not fix. */
const FAILED: Readonly<Record<string, string>> = { tool_denied: 'I am not allowed to do that here.' }

const MAX_CHARACTERS = 100_000
const MOST_VALUES = 6
const DEEPEST = 4
const LONGEST_VALUE = 200

/** Each value with its name: "Temperature: 12." */
function valuesIn(value: Json, name: string, levels: number): readonly string[] {
  if (value === null || levels === 0) return []
  if (Array.isArray(value)) return value.flatMap((item) => valuesIn(item, name, levels - 1))
  if (typeof value === 'object')
    return Object.entries(value).flatMap(([inner, field]) => valuesIn(field, inner, levels - 1))
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
