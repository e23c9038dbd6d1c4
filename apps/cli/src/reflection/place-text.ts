import type { Place } from '@parley/contracts'
import { localTime } from '../render/local-time.ts'

/** Where in a source something stands, in words. */
export function placeText({ page, line, heading, speaker, offset, date }: Place): string {
  return [
    heading && `“${heading}”`,
    page !== undefined && `page ${page}`,
    line !== undefined && page === undefined && `line ${line}`,
    speaker,
    offset,
    date && dateText(date),
  ]
    .filter(Boolean)
    .join(', ')
}

/** A moment that is known exactly is told by the reader's clock, any other as the source says it. */
const dateText = (date: string): string =>
  /T.*(Z|[+-]\d\d:\d\d)$/.test(date) ? localTime(date) : date.replace('T', ' ').slice(0, TO_THE_MINUTE)

const TO_THE_MINUTE = '2022-08-19 18:40'.length
