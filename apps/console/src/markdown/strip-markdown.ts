import { type Inline, parseInline } from './parse-inline.ts'

/** Removes the marks of headings, emphasis, links and code. */
export const stripMarkdown = (text: string): string =>
  text
    .split('\n')
    .map((line) => parseInline(line.replace(OPENING, '')).map(toPlainText).join(''))
    .join('\n')

const OPENING = /^ {0,3}(?:#{1,6}\s+|>\s?)/

function toPlainText(inline: Inline): string {
  if (inline.kind === 'break') return '\n'
  return 'children' in inline ? inline.children.map(toPlainText).join('') : inline.text
}
