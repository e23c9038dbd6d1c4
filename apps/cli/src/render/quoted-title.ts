import type { SessionRecord } from '@parley/engine'
import { inLine } from './in-line.ts'

/** A session by its title, as it stands in a sentence. */
export const quotedTitle = ({ session }: SessionRecord): string => `"${inLine(session.title ?? 'untitled')}"`
