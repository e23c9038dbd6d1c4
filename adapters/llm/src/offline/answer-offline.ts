import type { LlmMessage } from '@parley/engine'
import { answerHosted } from './answer-hosted.ts'
import { asks, asksOrWishes } from './english.ts'
import { wholeQuestion } from './resolve-question.ts'
import { type Material, type Passage, materialOf, rank } from './material.ts'
import type { Persona } from './persona.ts'

/** How an answer is given. */
export interface Manner {
  /** An agent of a voice provider speaks, with a visitor: plain short sentences, no Markdown. */
  readonly isHosted?: boolean
  /** A tool looks things up, so the person need not bring the text. */
  readonly looksUp?: boolean
  /** Quotable passages of the prompt. */
  readonly facts?: readonly Passage[]
  /** The person of the reflection. */
  readonly persona?: Persona | undefined
}

/** The answer to the last thing the person said: quoted from the material, or an honest "not there". */
export function answerOffline(messages: readonly LlmMessage[], manner: Manner = {}): string {
  const material = materialOf(messages)
  const { question } = material
  const rule = ruleFor(question.slice(0, RULES_LOOK_AT))
  const isAsked = manner.looksUp || (manner.isHosted ? asksOrWishes(question) : asks(question))
  const ruled = rule?.answer(material, manner)
  if (ruled !== undefined) return ruled
  if (!isAsked) return taken(material, manner)
  return manner.isHosted ? hosted(messages, material, manner) : fromPassages(material, manner)
}

function hosted(
  messages: readonly LlmMessage[],
  material: Material,
  { facts = [], persona, looksUp = false }: Manner,
): string {
  const told = messages
    .filter(({ role }) => role === 'assistant')
    .flatMap(({ content }) => content.flatMap((part) => (part.type === 'text' ? [part.text] : [])))
  return answerHosted({ question: wholeQuestion(messages), material, facts, persona, looksUp, told })
}

/** Questions that are answered without a look-up. */
export const isSmallTalk = (question: string): boolean =>
  ruleFor(question.slice(0, RULES_LOOK_AT))?.isSmallTalk === true

const ruleFor = (opening: string): Rule | undefined => RULES.find(({ when }) => when.test(opening))

/** What a person asks for is said in a sentence or two; the rest is material. */
const RULES_LOOK_AT = 300

interface Rule {
  readonly when: RegExp
  readonly isSmallTalk?: true
  /** Undefined where the rule has nothing to go on. */
  readonly answer: (material: Material, manner: Manner) => string | undefined
}

const WHO_I_AM =
  'I am the offline model: I answer by quoting what you give me in this conversation, and nothing I say comes from ' +
  'a network. Give me notes or a file, then ask about them.'

const WHO_LOOKS_UP =
  'I am the offline model: I look up what you ask in my sources and quote them, and nothing I say comes from a network.'

const WHO_IS_HOSTED =
  'I am the offline model: I answer from what this agent was given to say, and nothing I say comes from a network.'

function whoIAm({ looksUp, isHosted }: Manner): string {
  if (looksUp) return WHO_LOOKS_UP
  return isHosted ? WHO_IS_HOSTED : WHO_I_AM
}

const RULES: readonly Rule[] = [
  {
    when: /^(hi|hello|hey|good (morning|afternoon|evening)|hallo|salut|hola)\b[\s,!.]{0,4}[^\s?]{0,20}[\s!.]{0,4}$/i,
    isSmallTalk: true,
    answer: (_, manner) => (manner.isHosted ? 'Hello! How can I help you?' : `Hello. ${whoIAm(manner)}`),
  },
  {
    when: /\b(who|what) are you\s*[?!.]*$|\bwhat can you do\b|^\s*help\s*[?!.]*\s*$/i,
    isSmallTalk: true,
    answer: (_, manner) => whoIAm(manner),
  },
  { when: /^\s*(thanks|thank you|thx|merci|danke)\b/i, isSmallTalk: true, answer: () => 'You are welcome.' },
  {
    when: /^\s*(\.{3}|…)\s*$/,
    isSmallTalk: true,
    answer: () => 'I am still here. Ask me whenever you like.',
  },
  {
    when: /\bwhat (did|have) (i|we) (just |already )?(say|said|ask|asked|tell|told|talk|talked|discuss|discussed)\b/i,
    isSmallTalk: true,
    answer: (material, manner) => inManner(recall(material), manner),
  },
  {
    when: /\b(summar(y|ise|ize)|tl;?dr|in short|gist|overview)\b/i,
    answer: (material, manner) => inManner(summary(material), manner),
  },
  {
    when: /\b(read|repeat|quote|show|recite)\b.*\b(all|everything|whole|entire|full|aloud|out|back)\b/i,
    answer: wholeText,
  },
]

function taken({ files, question }: Material, { isHosted }: Manner): string {
  if (isHosted) return 'I see. What would you like to know?'
  const [file] = files
  if (file && question === '') return `I have ${names(files.map(({ name }) => name))}. Ask me about it.`
  return 'Noted: I keep it in this conversation, and quote it when you ask about it.'
}

function recall({ said }: Material): string {
  if (said.length === 0) return 'This is the first thing you have said here.'
  const latest = said.slice(-5)
  const earlier = said.length - latest.length
  const lines = latest.map((text) => quoted(firstLine(text)))
  return [`You said${earlier > 0 ? ` (after ${earlier} earlier messages)` : ''}:`, ...lines].join('\n\n')
}

function summary({ passages, files }: Material): string | undefined {
  const fromFiles = passages.filter(({ from }) => from.kind === 'file')
  const pool = fromFiles.length > 0 ? fromFiles : passages
  if (pool.length === 0) return undefined
  const central = rank(pool, pool.map(({ text }) => text).join(' '))
    .slice(0, 5)
    .map(({ passage }) => passage)
  const inOrder = pool.filter((passage) => central.includes(passage))
  const of = files.length > 0 ? names(files.map(({ name }) => name)) : 'what you said'
  return [
    `The sentences that say most of ${of}, as they stand there:`,
    ...inOrder.map(({ text }) => quoted(text)),
  ].join('\n\n')
}

function wholeText({ files }: Material): string | undefined {
  if (files.length === 0) return undefined
  return files.map(({ name, text }) => `${name}:\n\n${text.trim()}`).join('\n\n')
}

function fromPassages(material: Material, manner: Manner): string {
  const found = rank(material.passages, material.question)
  const best = found[0]
  if (!best) return nothingFound(material, manner)
  const good = found.filter(({ score }) => score >= best.score / 2).slice(0, 3)
  const groups = Map.groupBy(good, ({ passage }) => passage.from.label ?? UNNAMED)
  return [...groups]
    .map(([label, hits]) =>
      [`From ${label}:`, ...hits.map(({ passage }) => quoted(passage.text))].join('\n\n'),
    )
    .join('\n\n')
}

const UNNAMED = 'what a tool found'

function nothingFound({ passages, isCut }: Material, { looksUp }: Manner): string {
  if (looksUp) return 'I find nothing about that in my sources.'
  if (passages.length === 0)
    return `I can't answer that: there is nothing in this conversation to answer from. ${WHO_I_AM}`
  const places = [...new Set(passages.map(({ from }) => from.label ?? UNNAMED))]
  return `I find nothing about that in ${names(places)}. I am the offline model and answer only from what you give me.${isCut ? ' This is long: I read only its latest part.' : ''}`
}

/** A visitor gets plain sentences; others get quotes by Markdown. */
function inManner<Text extends string | undefined>(text: Text, { isHosted }: Manner): Text | string {
  return isHosted && text !== undefined ? text.replace(/^> /gm, '').replace(/\s*\n+\s*/g, ' ') : text
}

const quoted = (text: string) =>
  text
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n')

const firstLine = (text: string) => text.trim().split('\n', 1)[0] ?? ''

function names(list: readonly string[]): string {
  const shown = list.slice(0, 4)
  const more = list.length - shown.length
  const all = more > 0 ? [...shown, `${more} more`] : shown
  return all.length < 2 ? (all[0] ?? '') : `${all.slice(0, -1).join(', ')} and ${all.at(-1)}`
}
