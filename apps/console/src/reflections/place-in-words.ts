import type { Place } from '@parley/contracts'
import { timeInWords } from '../ui/time-in-words.ts'

/** Where in its source something stands; empty where the source is one piece. */
export function placeInWords({ page, line, heading, speaker, offset, date }: Place): string {
  return [
    page !== undefined && `page ${page}`,
    line !== undefined && `line ${line}`,
    heading && `under “${heading}”`,
    speaker && `said by ${speaker}`,
    offset && `at ${offset}`,
    date && dateInWords(date),
  ]
    .filter(Boolean)
    .join(', ')
}

/** A moment that is known exactly is told by the reader's clock, any other as the source says it. */
const dateInWords = (date: string): string =>
  /T.*(Z|[+-]\d\d:\d\d)$/.test(date) ? timeInWords(date) : date.replace('T', ' ').slice(0, TO_THE_MINUTE)

const TO_THE_MINUTE = '2022-08-19 18:40'.length
