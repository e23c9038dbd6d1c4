import { type Namespace, type Place, listPublishedNamespaces } from '@parley/contracts'
import { formatTime } from '../ui/format.ts'

/** A position within a source, such as “page 3, line 15”. Empty if the source has no positions. */
export function formatSourcePlace({ page, line, heading, speaker, offset, date }: Place): string {
  return [
    page !== undefined && `page ${page}`,
    line !== undefined && `line ${line}`,
    heading && `under “${heading}”`,
    speaker && `said by ${speaker}`,
    offset && `at ${offset}`,
    date && formatSourceDate(date),
  ]
    .filter(Boolean)
    .join(', ')
}

/** A date with a time zone is shown in the reader's zone; any other as the source wrote it. */
const formatSourceDate = (date: string): string =>
  /T.*(Z|[+-]\d\d:\d\d)$/.test(date) ? formatTime(date) : date.replace('T', ' ').slice(0, TO_THE_MINUTE)

const TO_THE_MINUTE = '2022-08-19 18:40'.length

/** Names the public folders of a reflection. */
export function describePublicFolders(namespaces: readonly Namespace[]): string {
  const names = formatPublicFolders(namespaces)
  return names === '' ? 'nothing is public' : `public: ${names}`
}

export const formatPublicFolders = (namespaces: readonly Namespace[]): string =>
  listPublishedNamespaces({ namespaces }).join(', ')
