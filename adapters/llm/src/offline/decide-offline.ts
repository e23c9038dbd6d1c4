import type { Json } from '@parley/contracts'
import type { LlmMessage, ModelRequest, ToolDeclaration } from '@parley/engine'
import { answerOffline, isSmallTalk } from './answer-offline.ts'
import { chooseTool } from './choose-tool.ts'
import { promptFacts } from './prompt-facts.ts'
import { tellResult } from './tell-result.ts'
import { propertiesOf, requiredOf } from './tool-parameters.ts'

/** What the offline model does in one step: says something, calls a tool, or both in this order. */
export interface OfflineStep {
  readonly text: string
  readonly call?: { readonly name: string; readonly input: Json }
}

/**
 * It calls two kinds of tools of its own accord: the one that looks things up, and the one that ends a call. As the agent
 * of a voice provider it also calls one that the question names by its words.
 */
export function decideOffline({
  system,
  messages,
  tools,
}: Pick<ModelRequest, 'system' | 'messages' | 'tools'>): OfflineStep {
  const asked = messages.findLastIndex(({ role }) => role === 'user')
  const question = textOf(messages[asked]).trim()
  const farewell = tools.find(({ name }) => name === 'end_call')
  if (farewell && FAREWELL.test(question.slice(-LONGEST_FAREWELL)) && !question.includes('?'))
    return { text: 'Goodbye.', call: { name: farewell.name, input: { reason: 'The person said goodbye.' } } }

  const lookUp = lookUpOf(tools)
  const isHosted = HOSTED.test(system)
  const outcome = messages
    .slice(asked + 1)
    .flatMap(({ content }) => content)
    .find((part) => part.type === 'tool_result')?.outcome
  if (question !== '' && !isSmallTalk(question)) {
    const others = isHosted ? tools.filter(({ name }) => name !== lookUp?.tool) : []
    const chosen = chooseTool(question, others)
    if (chosen) return outcome ? { text: tellResult(outcome, question) } : { text: '', call: chosen }
    if (lookUp && !outcome)
      return { text: '', call: { name: lookUp.tool, input: { [lookUp.parameter]: question } } }
    if (lookUp && outcome?.kind === 'failed')
      return { text: 'I could not look that up just now. Please ask me again in a moment.' }
  }
  const facts = isHosted
    ? promptFacts(
        system,
        tools.map(({ name }) => name),
      )
    : []
  return { text: answerOffline(messages, { isHosted, looksUp: lookUp !== undefined, facts }) }
}

/** What a voice provider adds to the system prompt, and an agent's author may say as well. */
const HOSTED = /\b(?:spoken|typed) conversation\b/i

const LONGEST_FAREWELL = 60
const FAREWELL =
  /\b(good ?-?bye|bye|hang up|end (the|this|our) call|see you (later|soon)|that(’s| is|'s|was) all)\b/i

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
