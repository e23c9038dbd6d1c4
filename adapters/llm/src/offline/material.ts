import type { LlmMessage } from '@parley/engine'

/** A sentence or line that may be quoted, with where it stands. */
export interface Passage {
  readonly text: string
  readonly from: { readonly kind: 'file' | 'said' | 'result'; readonly label: string }
}

export interface Material {
  /** The last thing the person said, without the files that came with it. */
  readonly question: string
  /** What the person said before. */
  readonly said: readonly string[]
  readonly files: readonly { readonly name: string; readonly text: string }[]
  readonly passages: readonly Passage[]
}

const FILE_BLOCK = /<file path="([^"\n]*)">\n([\s\S]*?)\n<\/file>/g

/** What a conversation gives to answer from. */
export function materialOf(messages: readonly LlmMessage[]): Material {
  const texts = messages.filter(({ role }) => role === 'user').map(textOf)
  const files = texts.flatMap((text) =>
    [...text.matchAll(FILE_BLOCK)].map(([, name = '', body = '']) => ({ name, text: body })),
  )
  const plain = texts.map((text) => text.replace(FILE_BLOCK, '').trim())
  const question = plain.at(-1) ?? ''
  const said = plain.slice(0, -1).filter((text) => text !== '')
  return {
    question,
    said,
    files,
    passages: [
      ...files.flatMap(({ name, text }) => passagesOf(text, 'file', name)),
      ...said
        .filter((text) => !text.trim().endsWith('?'))
        .flatMap((text) => passagesOf(text, 'said', 'what you said')),
      ...resultsOf(messages).flatMap((text) => passagesOf(text, 'result', 'what a tool found')),
    ],
  }
}

const textOf = ({ content }: LlmMessage): string =>
  content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')

const resultsOf = (messages: readonly LlmMessage[]): readonly string[] =>
  messages.flatMap(({ content }) =>
    content.flatMap((part) =>
      part.type === 'tool_result' && part.outcome.kind === 'ok' ? [part.outcome.text] : [],
    ),
  )

const SENTENCES = new Intl.Segmenter(undefined, { granularity: 'sentence' })

/** A list entry or heading is a line of its own; running text is cut into sentences. */
function passagesOf(text: string, kind: Passage['from']['kind'], label: string): readonly Passage[] {
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
