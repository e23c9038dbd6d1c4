import type { Place } from '@parley/contracts'

/** Where in a source something stands, in words. */
export function placeText({ page, line, heading, speaker, offset, date }: Place): string {
  return [
    heading && `“${heading}”`,
    page !== undefined && `page ${page}`,
    line !== undefined && page === undefined && `line ${line}`,
    speaker,
    offset,
    date,
  ]
    .filter(Boolean)
    .join(', ')
}
