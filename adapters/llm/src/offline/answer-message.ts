import type { LlmMessage } from '@parley/engine'
import { answerInSentences } from './answer-in-sentences.ts'
import { isRequest, isRequestOrWish } from './english.ts'
import { resolveQuestion } from './resolve-question.ts'
import {
  type AnswerMaterial,
  type QuotablePassage,
  collectAnswerMaterial,
  rankPassages,
} from './answer-material.ts'
import type { Persona } from './persona.ts'

export interface AnswerOptions {
  /** A reflection or an agent of a voice provider answers: in plain short sentences, without Markdown. */
  readonly isSpokenStyle?: boolean
  /** A tool searches the sources, so the person need not provide texts. */
  readonly looksUp?: boolean
  /** Quotable passages of the prompt. */
  readonly facts?: readonly QuotablePassage[]
  /** The person of the reflection. */
  readonly persona?: Persona | undefined
}

/** Answers the person's last message with quotes from the material, or says that there is nothing. */
export function answerMessage(messages: readonly LlmMessage[], options: AnswerOptions = {}): string {
  const material = collectAnswerMaterial(messages)
  const { question } = material
  const fixed = findRule(question)?.answer(material, options)
  if (fixed !== undefined) return fixed
  const needsAnswer =
    options.looksUp || (options.isSpokenStyle ? isRequestOrWish(question) : isRequest(question))
  if (!needsAnswer) return acknowledgeMessage(material, options)
  if (!options.isSpokenStyle) return quotePassages(material, options)
  const { facts = [], persona, looksUp = false } = options
  const earlierAnswers = messages
    .filter(({ role }) => role === 'assistant')
    .flatMap(({ content }) => content.flatMap((part) => (part.type === 'text' ? [part.text] : [])))
  return answerInSentences({
    question: resolveQuestion(messages),
    material,
    facts,
    persona,
    looksUp,
    earlierAnswers,
  })
}

/** Whether a message is answered without a search. */
export const isSmallTalk = (question: string): boolean => findRule(question)?.isSmallTalk === true

const findRule = (question: string): Rule | undefined =>
  RULES.find(({ when }) => when.test(question.slice(0, MAX_OPENING)))

/** A request is a sentence or two; the rest of a message is material. */
const MAX_OPENING = 300

interface Rule {
  readonly when: RegExp
  readonly isSmallTalk?: true
  /** Undefined if there is no material for the rule. */
  readonly answer: (material: AnswerMaterial, options: AnswerOptions) => string | undefined
}

const WHO_I_AM =
  'I am the offline model: I answer by quoting what you give me in this conversation, and nothing I say comes from ' +
  'a network. Give me notes or a file, then ask about them.'

const WHO_LOOKS_UP =
  'I am the offline model: I look up what you ask in my sources and quote them, and nothing I say comes from a network.'

const WHO_SPEAKS_FOR_AGENT =
  'I am the offline model: I answer from what this agent was given to say, and nothing I say comes from a network.'

function introduce({ looksUp, isSpokenStyle }: AnswerOptions): string {
  if (looksUp) return WHO_LOOKS_UP
  return isSpokenStyle ? WHO_SPEAKS_FOR_AGENT : WHO_I_AM
}

const RULES: readonly Rule[] = [
  {
    when: /^(hi|hello|hey|good (morning|afternoon|evening)|hallo|salut|hola)\b[\s,!.]{0,4}[^\s?]{0,20}[\s!.]{0,4}$/i,
    isSmallTalk: true,
    answer: (_, options) =>
      options.isSpokenStyle ? 'Hello! How can I help you?' : `Hello. ${introduce(options)}`,
  },
  {
    when: /\b(who|what) are you\s*[?!.]*$|\bwhat can you do\b|^\s*help\s*[?!.]*\s*$/i,
    isSmallTalk: true,
    answer: (_, options) => introduce(options),
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
    answer: (material, options) => applyFormat(recallMessages(material), options),
  },
  {
    when: /\b(summar(y|ise|ize)|tl;?dr|in short|gist|overview)\b/i,
    answer: (material, options) => applyFormat(summariseMaterial(material), options),
  },
  {
    when: /\b(read|repeat|quote|show|recite)\b.*\b(all|everything|whole|entire|full|aloud|out|back)\b/i,
    answer: readFilesBack,
  },
]

function acknowledgeMessage({ files, question }: AnswerMaterial, { isSpokenStyle }: AnswerOptions): string {
  if (isSpokenStyle) return 'I see. What would you like to know?'
  const [file] = files
  if (file && question === '') return `I have ${formatList(files.map(({ name }) => name))}. Ask me about it.`
  return 'Noted. I will quote it when you ask.'
}

function recallMessages({ earlier }: AnswerMaterial): string {
  if (earlier.length === 0) return 'This is the first thing you have said here.'
  const latest = earlier.slice(-5)
  const omitted = earlier.length - latest.length
  const lines = latest.map((text) => toQuote(getFirstLine(text)))
  return [`You said${omitted > 0 ? ` (after ${omitted} earlier messages)` : ''}:`, ...lines].join('\n\n')
}

function summariseMaterial({ passages, files }: AnswerMaterial): string | undefined {
  const fromFiles = passages.filter(({ from }) => from.kind === 'file')
  const pool = fromFiles.length > 0 ? fromFiles : passages
  if (pool.length === 0) return undefined
  const central = rankPassages(pool, pool.map(({ text }) => text).join(' '))
    .slice(0, 5)
    .map(({ passage }) => passage)
  const inOrder = pool.filter((passage) => central.includes(passage))
  const subject = files.length > 0 ? formatList(files.map(({ name }) => name)) : 'what you said'
  return [`The most important sentences of ${subject}:`, ...inOrder.map(({ text }) => toQuote(text))].join(
    '\n\n',
  )
}

function readFilesBack({ files }: AnswerMaterial): string | undefined {
  if (files.length === 0) return undefined
  return files.map(({ name, text }) => `${name}:\n\n${text.trim()}`).join('\n\n')
}

function quotePassages(material: AnswerMaterial, options: AnswerOptions): string {
  const hits = rankPassages(material.passages, material.question)
  const [best] = hits
  if (!best) return reportNothingFound(material, options)
  const good = hits.filter(({ score }) => score >= best.score / 2).slice(0, 3)
  const groups = Map.groupBy(good, ({ passage }) => passage.from.label ?? UNNAMED)
  return [...groups]
    .map(([label, quotes]) =>
      [`From ${label}:`, ...quotes.map(({ passage }) => toQuote(passage.text))].join('\n\n'),
    )
    .join('\n\n')
}

const UNNAMED = 'a tool result'

function reportNothingFound({ passages, isTruncated }: AnswerMaterial, { looksUp }: AnswerOptions): string {
  if (looksUp) return 'I find nothing about that in my sources.'
  if (passages.length === 0)
    return `I can't answer that: there is nothing in this conversation to answer from. ${WHO_I_AM}`
  const places = [...new Set(passages.map(({ from }) => from.label ?? UNNAMED))]
  return `I find nothing about that in ${formatList(places)}. I am the offline model and answer only from what you give me.${isTruncated ? ' This is long: I read only its latest part.' : ''}`
}

/** Plain sentences in the spoken style, otherwise Markdown quotes. */
function applyFormat<Text extends string | undefined>(
  text: Text,
  { isSpokenStyle }: AnswerOptions,
): Text | string {
  return isSpokenStyle && text !== undefined ? text.replace(/^> /gm, '').replace(/\s*\n+\s*/g, ' ') : text
}

const toQuote = (text: string) =>
  text
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n')

const getFirstLine = (text: string) => text.trim().split('\n', 1)[0] ?? ''

function formatList(list: readonly string[]): string {
  const shown = list.slice(0, 4)
  const more = list.length - shown.length
  const all = more > 0 ? [...shown, `${more} more`] : shown
  return all.length < 2 ? (all[0] ?? '') : `${all.slice(0, -1).join(', ')} and ${all.at(-1)}`
}
