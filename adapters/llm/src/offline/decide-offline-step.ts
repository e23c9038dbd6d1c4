import {
  AgentAction,
  type Json,
  type ToolOutcome,
  isReadOnlyAction,
  removeFence,
  saysConversationOver,
} from '@parley/contracts'
import type { LlmMessage, ModelRequest, ToolDeclaration } from '@parley/engine'
import { toJsonObject } from '../to-json-object.ts'
import { answerMessage, isSmallTalk } from './answer-message.ts'
import { addBirthWords } from './choose-statements.ts'
import {
  type OfflineStep,
  chooseTool,
  describeToolFailure,
  getProperties,
  getRequiredNames,
} from './choose-tool.ts'
import { askNextQuestion } from './interview.ts'
import {
  rankPassages,
  readMessageText,
  readToolResult,
  splitPassages,
  tryParseJson,
} from './answer-material.ts'
import { type Persona, answerSmallTalk, readPersona } from './persona.ts'
import { extractPromptFacts, looksSecret } from './extract-prompt-facts.ts'
import { rememberOrCorrect } from './remember-and-correct.ts'
import { replaceCreatorPronouns, replacePronounsByName, resolveQuestion } from './resolve-question.ts'
import { toSentence } from './statement.ts'
import { findTopic } from './question-topics.ts'

/** Decides the next step by rules. If no rule applies, answers from the texts of the conversation. */
export function decideOfflineStep(request: OfflineRequest): OfflineStep {
  const turn = readTurn(request)
  for (const rule of RULES) {
    const step = rule(turn)
    if (step) return step
  }
  return { text: answerFromTexts(turn) }
}

type OfflineRequest = Pick<ModelRequest, 'system' | 'messages' | 'tools' | 'conversation'>

interface OfflineTurn {
  readonly system: string
  readonly tools: readonly ToolDeclaration[]
  /** Without the notes of the engine. */
  readonly messages: readonly LlmMessage[]
  /** The messages with names in place of pronouns, for a reflection. */
  readonly resolvedMessages: readonly LlmMessage[]
  /** The person's last message. */
  readonly question: string
  /** The outcome of the tool that was called for the question, if any. */
  readonly outcome: ToolOutcome | undefined
  /** The person that a reflection represents. */
  readonly persona: Persona | undefined
  /** A reflection or an agent of a voice provider answers: in plain short sentences, without Markdown. */
  readonly isSpokenStyle: boolean
  /** The tool that searches the sources, if there is one. */
  readonly searchTool: SearchTool | undefined
}

function readTurn({ system, messages: all, tools, conversation }: OfflineRequest): OfflineTurn {
  const messages = all.filter(({ isNote }) => !isNote)
  const last = messages.findLastIndex(({ role }) => role === 'user')
  const persona = readPersona(system)
  return {
    system,
    tools,
    messages,
    resolvedMessages: persona
      ? replacePronounsByName(replaceCreatorPronouns(messages, `${persona.name} ${persona.creator}`))
      : messages,
    question: readMessageText(messages[last]).trim(),
    outcome: messages
      .slice(last + 1)
      .flatMap(({ content }) => content)
      .find((part) => part.type === 'tool_result')?.outcome,
    persona,
    isSpokenStyle: persona !== undefined || conversation !== undefined,
    searchTool: findSearchTool(tools),
  }
}

/** In this order. */
const RULES: readonly ((turn: OfflineTurn) => OfflineStep | undefined)[] = [
  endCall,
  interviewPerson,
  makeSmallTalk,
  changeMemory,
  callNamedTool,
  searchSources,
]

/** Ends a call when the person says goodbye, or when a tool reports that the conversation is over. */
function endCall({ tools, question, outcome }: OfflineTurn): OfflineStep | undefined {
  const tool = tools.find(({ name }) => name === 'end_call')
  if (!tool) return undefined
  if (FAREWELL.test(question.slice(-MAX_FAREWELL_LENGTH)) && !question.includes('?'))
    return { text: 'Goodbye.', call: { name: tool.name, input: { reason: 'The person said goodbye.' } } }
  if (!outcome || !isConversationOver(outcome)) return undefined
  return {
    text: 'This conversation is over. Goodbye.',
    call: { name: tool.name, input: { reason: 'A tool said that the conversation is over.' } },
  }
}

const MAX_FAREWELL_LENGTH = 60
const FAREWELL =
  /\b(good ?-?bye|bye|hang up|end (the|this|our) call|see you (later|soon)|that(’s| is|'s|was) all)\b/i

/** Whether a tool reports, in a refusal or beside its results, that the conversation is over. */
function isConversationOver({ kind, text }: ToolOutcome): boolean {
  if (kind === 'failed') return saysConversationOver(text)
  const message = toJsonObject(tryParseJson(removeFence(text)))?.['message']
  return typeof message === 'string' && saysConversationOver(message)
}

/** In an interview, the model asks and the person answers. */
function interviewPerson({ system, messages }: OfflineTurn): OfflineStep | undefined {
  const text = askNextQuestion(system, messages)
  return text === undefined ? undefined : { text }
}

function makeSmallTalk({ persona, resolvedMessages }: OfflineTurn): OfflineStep | undefined {
  const message = readMessageText(resolvedMessages.findLast(({ role }) => role === 'user')).trim()
  const text = persona && answerSmallTalk(message, persona)
  return text === undefined ? undefined : { text }
}

/** "Remember that …" and "that is wrong", for a reflection. */
function changeMemory({ persona, question, messages, tools, outcome }: OfflineTurn): OfflineStep | undefined {
  return persona && rememberOrCorrect({ text: question, messages, tools, persona, outcome })
}

/** Calls a tool whose words the question has, and then reports its result. */
function callNamedTool({ tools, searchTool, question, outcome, ...turn }: OfflineTurn) {
  if (!turn.isSpokenStyle || !needsTool(question)) return undefined
  const others = tools.filter(({ name }) => name !== searchTool?.tool && mayCall(name, turn.persona))
  const call = chooseTool(question, others)
  return call && (outcome ? { text: formatResult(outcome, question) } : { text: '', call })
}

/** Searches the sources once for each question. */
function searchSources({
  searchTool,
  question,
  outcome,
  isSpokenStyle,
  resolvedMessages,
}: OfflineTurn): OfflineStep | undefined {
  if (!searchTool || !needsTool(question)) return undefined
  if (outcome)
    return outcome.kind === 'failed'
      ? { text: 'I could not look that up. Please ask me again in a moment.' }
      : undefined
  const query = isSpokenStyle ? toSearchText(resolveQuestion(resolvedMessages).text) : question
  return { text: '', call: { name: searchTool.tool, input: { [searchTool.parameter]: query } } }
}

const needsTool = (question: string): boolean => question !== '' && !isSmallTalk(question)

function answerFromTexts({ system, tools, persona, ...turn }: OfflineTurn): string {
  const toolNames = tools.map(({ name }) => name)
  return answerMessage(turn.resolvedMessages, {
    isSpokenStyle: turn.isSpokenStyle,
    looksUp: turn.searchTool !== undefined,
    facts: turn.isSpokenStyle ? extractPromptFacts(system, toolNames) : [],
    persona,
  })
}

/** A reflection calls a writing tool only if its policy names it. */
const mayCall = (tool: string, persona: Persona | undefined): boolean =>
  persona === undefined || !storesSomething(tool) || persona.actions.includes(tool)

function storesSomething(tool: string): boolean {
  const action = AgentAction.safeParse(tool).data
  return action !== undefined && !isReadOnlyAction(action)
}

interface SearchTool {
  readonly tool: string
  readonly parameter: string
}

/** The search tool: by its name, or the only tool with a query as its only parameter. */
function findSearchTool(tools: readonly ToolDeclaration[]): SearchTool | undefined {
  const named = tools.find(({ name }) => /retrieve[-_]?context/i.test(name))
  const parameter = named && findQueryParameter(named)
  if (named && parameter !== undefined) return { tool: named.name, parameter }
  const plain = tools.filter(
    (tool) => findQueryParameter(tool) === 'query' && Object.keys(getProperties(tool)).length === 1,
  )
  const [only] = plain
  return only && plain.length === 1 ? { tool: only.name, parameter: 'query' } : undefined
}

/** The only required parameter, if it is a text. */
function findQueryParameter(tool: ToolDeclaration): string | undefined {
  const properties = getProperties(tool)
  const names = getRequiredNames(tool)
  const [only] = names
  return names.length === 1 && only !== undefined && isTextParameter(properties[only]) ? only : undefined
}

const isTextParameter = (property: Json | undefined): boolean => toJsonObject(property)?.['type'] === 'string'

/** The search text of a question, with the words that sources use for its topic. */
function toSearchText(question: string): string {
  const more = findTopic(question)?.topic.searchWords ?? ''
  return more === '' ? addBirthWords(question) : `${question} ${more}`
}

/** A tool's result for a question, in plain sentences. */
function formatResult(outcome: ToolOutcome, question: string): string {
  if (outcome.kind !== 'ok') return describeToolFailure(outcome)
  const answer = removeFence(outcome.text).slice(0, MAX_CHARACTERS)
  const passages = readToolResult(answer).flatMap(({ text, title }) => splitPassages(text, 'result', title))
  const hits = rankPassages(passages, question).map(({ passage }) => passage)
  const chosen = (hits.length > 0 ? hits : passages).slice(0, 2)
  if (chosen.length > 0) return chosen.map(({ text }) => toSentence(text)).join(' ')
  const json = tryParseJson(answer)
  const values = json === undefined ? [] : listValues(json, '', DEEPEST)
  return values.length > 0 ? values.slice(0, MAX_VALUES).join(' ') : 'Done.'
}

const MAX_CHARACTERS = 100_000
const MAX_VALUES = 6
const DEEPEST = 4
const MAX_VALUE_LENGTH = 200

/** Each value with its name: "Temperature: 12." */
function listValues(value: Json, name: string, levels: number): readonly string[] {
  if (value === null || levels === 0) return []
  if (Array.isArray(value)) return value.flatMap((item) => listValues(item, name, levels - 1))
  if (typeof value === 'object')
    return Object.entries(value).flatMap(([inner, field]) => listValues(field, inner, levels - 1))
  const text = String(value).replace(/\s+/g, ' ').trim()
  if (text === '' || text.length > MAX_VALUE_LENGTH || looksSecret(text)) return []
  return [toSentence(name === '' ? text : `${toLabel(name)}: ${text}`)]
}

function toLabel(name: string): string {
  const words = name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replace(/_+/g, ' ')
    .trim()
  return words.charAt(0).toUpperCase() + words.slice(1)
}
