import { type Json, type ToolOutcome, unfenced } from '@parley/contracts'
import type { LlmMessage, ModelRequest, ToolDeclaration } from '@parley/engine'
import { answerOffline, isSmallTalk } from './answer-offline.ts'
import { askNext } from './ask-next.ts'
import { askedOfYou } from './asked-of-you.ts'
import { chooseTool } from './choose-tool.ts'
import { wholeQuestion } from './follow-up.ts'
import { parsedJson } from './found-texts.ts'
import { inMoreWords } from './in-more-words.ts'
import { type Persona, personaOf } from './persona.ts'
import { promptFacts } from './prompt-facts.ts'
import { smallTalk } from './small-talk.ts'
import { takeIn } from './take-in.ts'
import { tellResult } from './tell-result.ts'
import { withNames } from './who-is-meant.ts'
import { propertiesOf, requiredOf } from './tool-parameters.ts'

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
}: Pick<ModelRequest, 'system' | 'messages' | 'tools'>): OfflineStep {
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

  const next = askNext(system, messages)
  if (next !== undefined) return { text: next }

  const lookUp = lookUpOf(tools)
  const isHosted = HOSTED.test(system)
  const persona = isHosted ? personaOf(system) : undefined
  const said = persona ? withNames(askedOfYou(messages, `${persona.name} ${persona.owner}`)) : messages
  if (persona) {
    const talk = smallTalk(textOf(said[asked]).trim(), persona)
    if (talk !== undefined) return { text: talk }
    const step = takeIn({ said: question, messages, tools, persona, outcome })
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

/** What a voice provider adds to the system prompt, and an agent's author may say as well. */
const HOSTED = /\b(?:spoken|typed) conversation\b/i

const LONGEST_FAREWELL = 60
const FAREWELL =
  /\b(good ?-?bye|bye|hang up|end (the|this|our) call|see you (later|soon)|that(’s| is|'s|was) all)\b/i

/** What a tool refuses with, or says beside what it found, whose conversation is over. */
const OVER = /\bthis conversation is over\b/i

function saysOver({ kind, text }: ToolOutcome): boolean {
  if (kind === 'failed') return OVER.test(text)
  const answer = parsedJson(unfenced(text))
  const isObject = typeof answer === 'object' && answer !== null && !Array.isArray(answer)
  return isObject && typeof answer['message'] === 'string' && OVER.test(answer['message'])
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
