import { type Json, removeFence, splitSentences } from '@parley/contracts'
import type { LlmMessage } from '@parley/engine'
import { toJsonObject } from '../to-json-object.ts'
import { toStems } from './english.ts'

/** The texts of a conversation that an answer may quote. */
export interface AnswerMaterial {
  /** The person's last message, without its files. */
  readonly question: string
  /** The person's earlier messages. */
  readonly earlier: readonly string[]
  readonly files: readonly { readonly name: string; readonly text: string }[]
  readonly passages: readonly QuotablePassage[]
  /** The tool results since the last message; the earlier ones if there are none. */
  readonly results: readonly ToolResultText[]
  /** The conversation is longer than the limit. */
  readonly isTruncated: boolean
}

/** The latest text that is read for an answer. Limited, because the model shares its process with others. */
const MAX_CHARACTERS = 300_000

/** Collects the texts of a conversation to answer from. */
export function collectAnswerMaterial(messages: readonly LlmMessage[]): AnswerMaterial {
  const userTexts = messages.filter(({ role }) => role === 'user').map(readMessageText)
  const texts = takeLatest(userTexts).map(splitFiles)
  const files = texts.flatMap((text) => text.files)
  const plain = texts.map(({ rest }) => rest.trim())
  const question = plain.at(-1) ?? ''
  const earlier = plain.slice(0, -1).filter((text) => text !== '')
  const results = takeLatest(listToolResults(messages)).flatMap(readToolResult)
  const since = takeLatest(
    listToolResults(messages.slice(messages.findLastIndex(({ role }) => role === 'user'))),
  )
  return {
    question,
    earlier,
    files,
    isTruncated: userTexts.reduce((sum, { length }) => sum + length, 0) > MAX_CHARACTERS,
    passages: [
      ...files.flatMap(({ name, text }) => splitPassages(text, 'file', name)),
      ...earlier
        .filter((text) => !text.trim().endsWith('?'))
        .flatMap((text) => splitPassages(text, 'said', 'what you said')),
      ...results.flatMap(({ text, title }) => splitPassages(text, 'result', title)),
    ],
    results: since.length > 0 ? since.flatMap(readToolResult) : results,
  }
}

/** The last texts within the limit; the earliest of them may be cut. */
function takeLatest(texts: readonly string[]): readonly string[] {
  const kept: string[] = []
  let room = MAX_CHARACTERS
  for (const text of texts.toReversed()) {
    if (room <= 0) break
    kept.unshift(text.slice(0, room))
    room -= text.length
  }
  return kept
}

const OPENING = /<file path="([^"\n]*)">\n/g
const CLOSING = '\n</file>'

/** Separates a text from its attached files. An unclosed file extends to the end. */
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

/** The text parts of a message, or '' without a message. */
export const readMessageText = (message: LlmMessage | undefined): string =>
  (message?.content ?? []).flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')

const listToolResults = (messages: readonly LlmMessage[]): readonly string[] =>
  messages.flatMap(({ content }) =>
    content.flatMap((part) =>
      part.type === 'tool_result' && part.outcome.kind === 'ok' ? [part.outcome.text] : [],
    ),
  )

/** A sentence or line to quote, with its source. */
export interface QuotablePassage {
  readonly text: string
  readonly from: {
    readonly kind: 'file' | 'said' | 'result' | 'prompt'
    /** Undefined if its name means nothing to the person. */
    readonly label: string | undefined
  }
}

/** Splits a text into sentences. A list entry or heading is a passage of its own. */
export function splitPassages(
  text: string,
  kind: QuotablePassage['from']['kind'],
  label: string | undefined,
): readonly QuotablePassage[] {
  const from = { kind, label }
  return text
    .split(/\n\s*\n|\n(?=\s*(?:[-*+•]|\d+[.)]|#{1,6})\s)/)
    .map((block) =>
      block
        .replace(/^\s*(?:[-*+•]|\d+[.)]|#{1,6})\s+/, '')
        .replace(/\s+/g, ' ')
        .trim(),
    )
    .flatMap(splitSentences)
    .filter((sentence) => /[\p{L}\p{N}]/u.test(sentence))
    .map((sentence) => ({ text: sentence, from }))
}

/** A text in a tool result, and its source. */
export interface ToolResultText {
  readonly text: string
  readonly title: string | undefined
  readonly speaker?: string
  /** For a correction: the beginnings of the statements that it replaces. */
  readonly corrects?: readonly string[]
}

/**
 * The texts of a tool result with their sources; a result that is not JSON is one text. The whole result may be fenced, or
 * each of its texts.
 */
export function readToolResult(answer: string): readonly ToolResultText[] {
  const json = tryParseJson(removeFence(answer))
  return json === undefined ? [{ text: answer, title: undefined }] : findResultTexts(json, DEEPEST)
}

const DEEPEST = 6
/** The usual field names of texts in results. */
const TEXTS = ['text', 'quote', 'statement', 'content', 'snippet', 'answer']

function findResultTexts(value: Json, levels: number): readonly ToolResultText[] {
  if (typeof value !== 'object' || value === null || levels === 0) return []
  if (Array.isArray(value)) return value.flatMap((item) => findResultTexts(item, levels - 1))
  const text = TEXTS.map((name) => value[name]).find((found) => typeof found === 'string')
  if (text !== undefined) {
    const { speaker, corrects } = value
    const starts = (Array.isArray(corrects) ? corrects : []).flatMap((start) =>
      typeof start === 'string' ? [removeFence(start).trim()] : [],
    )
    return [
      {
        text: removeFence(text),
        title: readTitle(value),
        ...(typeof speaker === 'string' && { speaker: removeFence(speaker) }),
        ...(starts.length > 0 && { corrects: starts }),
      },
    ]
  }
  return Object.values(value).flatMap((inner) => findResultTexts(inner, levels - 1))
}

function readTitle({ source, title }: Readonly<Record<string, Json>>): string | undefined {
  const found = [title, source, toJsonObject(source)?.['title']].find((value) => typeof value === 'string')
  return found === undefined ? undefined : removeFence(found)
}

/** Parses a JSON object or list; undefined for any other text. */
export function tryParseJson(text: string): Json | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

interface RankedPassage {
  readonly passage: QuotablePassage
  readonly score: number
}

/** The usual constants of BM25: how much repetition counts, and how much length. */
const BM25_K = 1.2
const BM25_B = 0.75

/** Passages that share meaningful words with the query, best first (BM25; earlier wins a tie). */
export function rankPassages(passages: readonly QuotablePassage[], query: string): readonly RankedPassage[] {
  const stems = new Set(toStems(query))
  if (stems.size === 0) return []
  const documents = passages.map((passage) => ({ passage, words: toStems(passage.text) }))
  const averageLength =
    documents.reduce((sum, { words }) => sum + words.length, 0) / Math.max(1, documents.length)
  const frequencies = new Map<string, number>()
  for (const { words } of documents) {
    for (const stem of new Set(words)) frequencies.set(stem, (frequencies.get(stem) ?? 0) + 1)
  }
  const computeRarity = (stem: string) => {
    const frequency = frequencies.get(stem) ?? 0
    return Math.log(1 + (documents.length - frequency + 0.5) / (frequency + 0.5))
  }
  return documents
    .map(({ passage, words }) => ({
      passage,
      score: scorePassage(words, stems, computeRarity, averageLength),
    }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
}

function scorePassage(
  words: readonly string[],
  stems: ReadonlySet<string>,
  rarity: (stem: string) => number,
  averageLength: number,
): number {
  const counts = new Map<string, number>()
  for (const stem of words) if (stems.has(stem)) counts.set(stem, (counts.get(stem) ?? 0) + 1)
  const lengthFactor = BM25_K * (1 - BM25_B + (BM25_B * words.length) / averageLength)
  let score = 0
  for (const [stem, count] of counts) score += (rarity(stem) * count * (BM25_K + 1)) / (count + lengthFactor)
  return score
}
