import { type Inline, parseInline } from './parse-inline.ts'

/** Removes the marks of headings, emphasis, links and code. */
export const withoutMarks = (text: string): string =>
  text
    .split('\n')
    .map((line) => parseInline(line.replace(OPENING, '')).map(wordsOf).join(''))
    .join('\n')

const OPENING = /^ {0,3}(?:#{1,6}\s+|>\s?)/

function wordsOf(inline: Inline): string {
  if (inline.kind === 'break') return '\n'
  return 'children' in inline ? inline.children.map(wordsOf).join('') : inline.text
}
