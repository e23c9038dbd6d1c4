import { type Json, removeFence } from '@parley/contracts'
import type { LlmMessage } from '@parley/engine'
import { stemsOf } from './english.ts'

export interface Material {
  /** The last thing the person said, without the files that came with it. */
  readonly question: string
  /** What the person said before. */
  readonly said: readonly string[]
  readonly files: readonly { readonly name: string; readonly text: string }[]
  readonly passages: readonly Passage[]
  /** What tools found since then; before, where none was asked since. */
  readonly found: readonly FoundText[]
  /** There was more than is read for one answer. */
  readonly isCut: boolean
}

/** How much is read for one answer, in UTF-16 units, latest first: the model shares its process with others. */
const READ_AT_MOST = 300_000

/** What a conversation gives to answer from. */
export function materialOf(messages: readonly LlmMessage[]): Material {
  const userTexts = messages.filter(({ role }) => role === 'user').map(textOf)
  const texts = latest(userTexts).map(splitFiles)
  const files = texts.flatMap(({ files: given }) => given)
  const plain = texts.map(({ rest }) => rest.trim())
  const question = plain.at(-1) ?? ''
  const said = plain.slice(0, -1).filter((text) => text !== '')
  const found = latest(resultsOf(messages)).flatMap(foundTexts)
  const since = latest(resultsOf(messages.slice(messages.findLastIndex(({ role }) => role === 'user'))))
  return {
    question,
    said,
    files,
    isCut: userTexts.reduce((sum, { length }) => sum + length, 0) > READ_AT_MOST,
    passages: [
      ...files.flatMap(({ name, text }) => passagesOf(text, 'file', name)),
      ...said
        .filter((text) => !text.trim().endsWith('?'))
        .flatMap((text) => passagesOf(text, 'said', 'what you said')),
      ...found.flatMap(({ text, title }) => passagesOf(text, 'result', title)),
    ],
    found: since.length > 0 ? since.flatMap(foundTexts) : found,
  }
}

/** The last texts that fit, the first of them cut where it does not fit whole. */
function latest(texts: readonly string[]): readonly string[] {
  const kept: string[] = []
  let room = READ_AT_MOST
  for (const text of texts.toReversed()) {
    if (room <= 0) break
    kept.unshift(text.slice(0, room))
    room -= text.length
  }
  return kept
}

const OPENING = /<file path="([^"\n]*)">\n/g
const CLOSING = '\n</file>'

/** The files that came with a text, and the text without them. One that is not closed goes on to the end. */
function splitFiles(text: string): {
  readonly files: readonly { name: string; text: string }[]
  readonly rest: string
} {
  const files: { name: string; text: string }[] = []
  let rest = ''
  let at = 0
  OPENING.lastIndex = 0
  for (let opening = OPENING.exec(text); opening; opening = OPENING.exec(text)) {
    const start = OPENING.lastIndex
    const end = text.indexOf(CLOSING, start)
    const stop = end < 0 ? text.length : end
    rest += text.slice(at, opening.index)
    files.push({ name: opening[1] ?? '', text: text.slice(start, stop) })
    at = Math.min(text.length, stop + CLOSING.length)
    OPENING.lastIndex = at
  }
  return { files, rest: rest + text.slice(at) }
}

const textOf = ({ content }: LlmMessage): string =>
  content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')

const resultsOf = (messages: readonly LlmMessage[]): readonly string[] =>
  messages.flatMap(({ content }) =>
    content.flatMap((part) =>
      part.type === 'tool_result' && part.outcome.kind === 'ok' ? [part.outcome.text] : [],
    ),
  )

/** A sentence or line that may be quoted, with where it stands. */
export interface Passage {
  readonly text: string
  readonly from: {
    readonly kind: 'file' | 'said' | 'result' | 'prompt'
    /** Undefined where it has no name that means something to the person. */
    readonly label: string | undefined
  }
}

const SENTENCES = new Intl.Segmenter(undefined, { granularity: 'sentence' })

/** A list entry or heading is a line of its own; running text is cut into sentences. */
export function passagesOf(
  text: string,
  kind: Passage['from']['kind'],
  label: string | undefined,
): readonly Passage[] {
  const from = { kind, label }
  return text
    .split(/\n\s*\n|\n(?=\s*(?:[-*+•]|\d+[.)]|#{1,6})\s)/)
    .map((block) =>
      block
        .replace(/^\s*(?:[-*+•]|\d+[.)]|#{1,6})\s+/, '')
        .replace(/\s+/g, ' ')
        .trim(),
    )
    .flatMap((block) => [...SENTENCES.segment(block)].map(({ segment }) => segment.trim()))
    .filter((sentence) => /[\p{L}\p{N}]/u.test(sentence))
    .map((sentence) => ({ text: sentence, from }))
}

/** A text that a tool found, and its source. */
export interface FoundText {
  readonly text: string
  readonly title: string | undefined
  readonly speaker?: string
  /** How the statements begin that it takes the place of, where it is a correction. */
  readonly corrects?: readonly string[]
}

/**
 * What a tool's answer holds to quote: the texts of a JSON answer with their sources, or the answer as it is. The answer may
 * be fenced as a whole, or each text of it by itself.
 */
export function foundTexts(answer: string): readonly FoundText[] {
  const json = parsedJson(removeFence(answer))
  return json === undefined ? [{ text: answer, title: undefined }] : textsIn(json, DEEPEST)
}

const DEEPEST = 6
/** The names under which answers usually hold their texts. */
const TEXTS = ['text', 'quote', 'statement', 'content', 'snippet', 'answer']

function textsIn(value: Json, levels: number): readonly FoundText[] {
  if (typeof value !== 'object' || value === null || levels === 0) return []
  if (Array.isArray(value)) return value.flatMap((item) => textsIn(item, levels - 1))
  const text = TEXTS.map((name) => value[name]).find((found) => typeof found === 'string')
  if (text !== undefined) {
    const { speaker, corrects } = value
    const starts = (Array.isArray(corrects) ? corrects : []).flatMap((start) =>
      typeof start === 'string' ? [removeFence(start).trim()] : [],
    )
    return [
      {
        text: removeFence(text),
        title: titleOf(value),
        ...(typeof speaker === 'string' && { speaker: removeFence(speaker) }),
        ...(starts.length > 0 && { corrects: starts }),
      },
    ]
  }
  return Object.values(value).flatMap((inner) => textsIn(inner, levels - 1))
}

function titleOf(item: Readonly<Record<string, Json>>): string | undefined {
  const title = rawTitleOf(item)
  return title === undefined ? undefined : removeFence(title)
}

function rawTitleOf(item: Readonly<Record<string, Json>>): string | undefined {
  const { source, title } = item
  if (typeof title === 'string') return title
  if (typeof source === 'string') return source
  const named =
    typeof source === 'object' && source !== null && !Array.isArray(source) ? source['title'] : undefined
  return typeof named === 'string' ? named : undefined
}

/** Undefined where it is not JSON. */
export function parsedJson(text: string): Json | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

interface Hit {
  readonly passage: Passage
  readonly score: number
}

const K = 1.2
const B = 0.75

/** Passages that share telling words with the query, best first (BM25; earlier wins a tie). */
export function rank(passages: readonly Passage[], query: string): readonly Hit[] {
  const wanted = new Set(stemsOf(query))
  if (wanted.size === 0) return []
  const documents = passages.map((passage) => ({ passage, stems: stemsOf(passage.text) }))
  const averageLength =
    documents.reduce((sum, { stems }) => sum + stems.length, 0) / Math.max(1, documents.length)
  const holders = new Map<string, number>()
  for (const { stems } of documents) {
    for (const stem of new Set(stems)) holders.set(stem, (holders.get(stem) ?? 0) + 1)
  }
  const rarity = (stem: string) => {
    const held = holders.get(stem) ?? 0
    return Math.log(1 + (documents.length - held + 0.5) / (held + 0.5))
  }
  return documents
    .map(({ passage, stems }) => ({ passage, score: scoreOf(stems, wanted, rarity, averageLength) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
}

function scoreOf(
  stems: readonly string[],
  wanted: ReadonlySet<string>,
  rarity: (stem: string) => number,
  averageLength: number,
): number {
  const counts = new Map<string, number>()
  for (const stem of stems) if (wanted.has(stem)) counts.set(stem, (counts.get(stem) ?? 0) + 1)
  const lengthFactor = K * (1 - B + (B * stems.length) / averageLength)
  let score = 0
  for (const [stem, count] of counts) score += (rarity(stem) * count * (K + 1)) / (count + lengthFactor)
  return score
}
