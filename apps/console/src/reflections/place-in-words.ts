import type { Place } from '@parley/contracts'

/** Where in its source something stands; empty where the source is one piece. */
export function placeInWords({ page, line, heading, speaker, offset, date }: Place): string {
  return [
    page !== undefined && `page ${page}`,
    line !== undefined && `line ${line}`,
    heading && `under “${heading}”`,
    speaker && `said by ${speaker}`,
    offset && `at ${offset}`,
    date?.replace('T', ' '),
  ]
    .filter(Boolean)
    .join(', ')
}
