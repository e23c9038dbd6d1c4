import { type InlineToken, asInlines, isSafeLink, parseInline } from './parse-markdown.ts'

/** Removes the marks of headings, emphasis, links and code. */
export const stripMarkdown = (text: string): string =>
  text
    .split('\n')
    .map((line) => parseInline(line.replace(OPENING, '')).map(toPlainText).join(''))
    .join('\n')

const OPENING = /^ {0,3}(?:#{1,6}\s+|>\s?)/

function toPlainText(token: InlineToken): string {
  switch (token.type) {
    case 'link':
    case 'image':
      return isSafeLink(token) ? asInlines(token.tokens).map(toPlainText).join('') || token.href : token.raw
    case 'strong':
    case 'em':
    case 'del':
      return asInlines(token.tokens).map(toPlainText).join('')
    case 'text':
    case 'codespan':
    case 'escape':
      return token.text
    case 'br':
      return '\n'
    default:
      return token satisfies never
  }
}
