import type { Place } from '@parley/contracts'
import { timeInWords } from '../ui/time-in-words.ts'

/** A position within a source, such as “page 3, line 15”. Empty if the source has no positions. */
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

/** A date with a time zone is shown in the reader's zone; any other as the source wrote it. */
const dateInWords = (date: string): string =>
  /T.*(Z|[+-]\d\d:\d\d)$/.test(date) ? timeInWords(date) : date.replace('T', ' ').slice(0, TO_THE_MINUTE)

const TO_THE_MINUTE = '2022-08-19 18:40'.length
