import type { SessionView } from '@parley/contracts'
import { inLine } from './in-line.ts'

/** A session by its title, as it stands in a sentence. */
export const quotedTitle = ({ title }: Pick<SessionView, 'title'>): string =>
  `"${inLine(title ?? 'untitled')}"`
