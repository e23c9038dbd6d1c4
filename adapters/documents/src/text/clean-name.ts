import { cleanText } from './clean-text.ts'
import { splitLong } from './split-long.ts'

const MAX_NAME = 300

/** A title, a heading or a person's name, in one line. */
export function cleanName(name: string): string {
  const line = cleanText(name.slice(0, 4 * MAX_NAME)).replaceAll(/\s+/gu, ' ')
  const [first = ''] = splitLong(line, MAX_NAME)
  return first
}
