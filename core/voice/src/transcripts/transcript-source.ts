import type { SessionMode } from '@parley/contracts'
import type { TranscriptMessage, TranscriptSource } from '../ports/transcript-store.ts'

export interface SaidIn {
  readonly mode: SessionMode
  readonly startedAt: string
  /** Who the reflection is of. */
  readonly of: string
}

const KINDS: Readonly<Record<SessionMode, string>> = {
  interview: 'Interview',
  reflection: 'Conversation',
  share: 'Shared conversation',
}

/** What was said as a source; undefined where the person said nothing, of which nothing is to be learned. */
export function transcriptSource(
  messages: readonly TranscriptMessage[],
  { mode, startedAt, of }: SaidIn,
): TranscriptSource | undefined {
  const lines = messages.flatMap(({ role, content, timestamp }) => {
    if (role !== 'user' && role !== 'assistant') return []
    const text = content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
    // Who is interviewed speaks of themselves; anybody else is only a person who talked with the reflection.
    const speaker = mode === 'interview' && role === 'user' ? { speaker: of } : {}
    return text.trim() === '' ? [] : [{ role, text, at: timestamp, ...speaker }]
  })
  if (!lines.some(({ role }) => role === 'user')) return undefined
  return { title: `${KINDS[mode]} of ${startedAt.slice(0, 10)}`, text: JSON.stringify(lines) }
}
