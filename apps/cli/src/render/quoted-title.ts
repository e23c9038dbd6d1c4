import type { SessionRecord } from '@parley/engine'
import { neutralise } from './neutralise.ts'

/** A session by its title, as it stands in a sentence. */
export const quotedTitle = ({ session }: SessionRecord): string =>
  `"${neutralise(session.title ?? 'untitled').replace(/\s+/g, ' ')}"`
