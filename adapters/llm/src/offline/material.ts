import type { LlmMessage } from '@parley/engine'
import { type FoundText, foundTexts } from './found-texts.ts'
import { type Passage, passagesOf } from './passage.ts'

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
