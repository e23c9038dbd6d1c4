import type { LlmMessage } from '@parley/engine'
import { materialOf, type Material } from './material.ts'
import { rank } from './rank.ts'

/** The answer to the last thing the person said: quoted from the material, or an honest "not there". */
export function answerOffline(messages: readonly LlmMessage[]): string {
  const material = materialOf(messages)
  const { question } = material
  const opening = question.slice(0, RULES_LOOK_AT)
  const rule = RULES.find(({ when }) => when.test(opening))
  return rule?.answer(material) ?? (isQuestion(question, opening) ? fromPassages(material) : taken(material))
}

/** What a person asks for is said in a sentence or two; the rest is material. */
const RULES_LOOK_AT = 300

interface Rule {
  readonly when: RegExp
  /** Undefined where the rule has nothing to go on. */
  readonly answer: (material: Material) => string | undefined
}

const WHO_I_AM =
  'I am the offline model: I answer by quoting what you give me in this conversation, and nothing I say comes from ' +
  'a network. Give me notes or a file, then ask about them.'

const RULES: readonly Rule[] = [
  {
    when: /^(hi|hello|hey|good (morning|afternoon|evening)|hallo|salut|hola)\b[\s,!.]{0,4}[^\s?]{0,20}[\s!.]{0,4}$/i,
    answer: () => `Hello. ${WHO_I_AM}`,
  },
  { when: /\b(who|what) are you\b|\bwhat can you do\b|^\s*help\s*[?!.]*\s*$/i, answer: () => WHO_I_AM },
  { when: /^\s*(thanks|thank you|thx|merci|danke)\b/i, answer: () => 'You are welcome.' },
  {
    when: /\bwhat (did|have) (i|we) (just |already )?(say|said|ask|asked|tell|told|talk|talked|discuss|discussed)\b/i,
    answer: recall,
  },
  { when: /\b(summar(y|ise|ize)|tl;?dr|in short|gist|overview)\b/i, answer: summary },
  {
    when: /\b(read|repeat|quote|show|recite)\b.*\b(all|everything|whole|entire|full|aloud|out|back)\b/i,
    answer: wholeText,
  },
]

const QUESTION_OPENERS =
  /^\s*(who|whom|whose|what|when|where|why|which|how|is|are|was|were|do|does|did|can|could|will|would|should|has|have|had|may|tell|explain|describe|list|find|show|give|name|summari[sz]e|compare)\b/i

const isQuestion = (text: string, opening: string) => text.includes('?') || QUESTION_OPENERS.test(opening)

function taken({ files, question }: Material): string {
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

function fromPassages(material: Material): string {
  const { passages, question } = material
  const found = rank(passages, question)
  const best = found[0]
  if (!best) return nothingFound(material)
  const good = found.filter(({ score }) => score >= best.score / 2).slice(0, 3)
  const groups = Map.groupBy(good, ({ passage }) => passage.from.label)
  return [...groups]
    .map(([label, hits]) =>
      [`From ${label}:`, ...hits.map(({ passage }) => quoted(passage.text))].join('\n\n'),
    )
    .join('\n\n')
}

function nothingFound({ passages, isCut }: Material): string {
  if (passages.length === 0)
    return `I can't answer that: there is nothing in this conversation to answer from. ${WHO_I_AM}`
  const places = [...new Set(passages.map(({ from }) => from.label))]
  return `I find nothing about that in ${names(places)}. I am the offline model and answer only from what you give me.${isCut ? ' This is long: I read only its latest part.' : ''}`
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
