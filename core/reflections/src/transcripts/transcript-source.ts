import type { Role, SessionMode } from '@parley/contracts'
import type { TranscriptMessage, TranscriptSource } from '../ports/transcript-store.ts'

export interface SaidIn {
  readonly mode: SessionMode
  /** Of the person who spoke with the reflection. */
  readonly role: Role
  readonly startedAt: string
  /** Who the reflection is of. */
  readonly of: string
}

const KINDS: Readonly<Record<SessionMode, string>> = {
  interview: 'Interview',
  reflection: 'Conversation',
  share: 'Shared conversation',
}

/** The transcript as a source; undefined where the person said nothing. */
export function transcriptSource(
  messages: readonly TranscriptMessage[],
  { mode, role: whose, startedAt, of }: SaidIn,
): TranscriptSource | undefined {
  const lines = messages.flatMap(({ role, content, timestamp }) => {
    if (role !== 'user' && role !== 'assistant') return []
    const text = content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
    // Who is interviewed and who owns the reflection speak of themselves; anybody else is only a person who talked with it.
    const isTheirs = mode === 'interview' || (mode === 'reflection' && whose === 'owner')
    const speaker = isTheirs && role === 'user' ? { speaker: of } : {}
    return text.trim() === '' ? [] : [{ role, text, at: timestamp, ...speaker }]
  })
  if (!lines.some(({ role }) => role === 'user')) return undefined
  return { title: `${KINDS[mode]} of ${startedAt.slice(0, 10)}`, text: JSON.stringify(lines) }
}
