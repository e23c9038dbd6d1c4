import type { EvidenceItem } from '@parley/contracts'
import { fence } from '@parley/engine'

/**
 * Evidence as a model is given it: fenced, as data, each piece under a number that an answer can cite. Only our own lines
 * begin at the margin, so no piece can pass as another.
 */
export function evidencePack(items: readonly EvidenceItem[], hash: (text: string) => string): string {
  const pieces = items.map((item, index) => `[${index + 1}] ${headingOf(item)}\n${indented(item.text)}`)
  return fence(pieces.length === 0 ? NOTHING : pieces.join('\n\n'), ORIGIN, hash)
}

const ORIGIN = "the person's sources"
const NOTHING = 'Nothing was found.'

function headingOf({ source, place, kind, corrects }: EvidenceItem): string {
  const where = [
    place.heading === undefined ? '' : `under “${place.heading}”`,
    place.page === undefined ? '' : `page ${place.page}`,
    place.line === undefined ? '' : `line ${place.line}`,
    place.offset === undefined ? '' : `at ${place.offset}`,
    place.speaker === undefined ? '' : `said by ${place.speaker}`,
    place.date ?? '',
    kind === 'fact' ? 'a fact drawn from it' : '',
    corrects === undefined
      ? ''
      : `counts above all that says ${corrects.map((start) => `“${start} …”`).join(' or ')}`,
  ]
  return [source.title, ...where]
    .filter((part) => part !== '')
    .map(inOneLine)
    .join(', ')
}

const BREAKS = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/u

const indented = (text: string): string =>
  text
    .split(BREAKS)
    .map((line) => `    ${line}`)
    .join('\n')

const LONGEST_PART = 200

const inOneLine = (part: string): string =>
  part
    .replace(/[\p{Cc}\p{Zl}\p{Zp}[\]]+/gu, ' ')
    .slice(0, LONGEST_PART)
    .toWellFormed()
    .trim()
