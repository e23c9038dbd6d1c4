import type { Role, SessionMode } from '@parley/contracts'
import type { TranscriptMessage, TranscriptSource } from '../ports/transcript-store.ts'

interface TranscribedSession {
  readonly mode: SessionMode
  /** The role of the person who spoke with the reflection. */
  readonly role: Role
  readonly startedAt: string
  /** The name of the reflection's creator. */
  readonly creatorName: string
}

const TITLE_BY_MODE: Readonly<Record<SessionMode, string>> = {
  interview: 'Interview',
  reflection: 'Conversation',
  share: 'Shared conversation',
}

/** The transcript as a source; undefined if the person said nothing. */
export function buildTranscriptSource(
  messages: readonly TranscriptMessage[],
  { mode, role: whose, startedAt, creatorName: of }: TranscribedSession,
): TranscriptSource | undefined {
  const lines = messages.flatMap(({ role, content, timestamp }) => {
    if (role !== 'user' && role !== 'assistant') return []
    const text = content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
    // Interviewed people and owners talk about themselves; for others the speaker is not named.
    const isTheirs = mode === 'interview' || (mode === 'reflection' && whose === 'owner')
    const speaker = isTheirs && role === 'user' ? { speaker: of } : {}
    return text.trim() === '' ? [] : [{ role, text, at: timestamp, ...speaker }]
  })
  if (!lines.some(({ role }) => role === 'user')) return undefined
  return { title: `${TITLE_BY_MODE[mode]} of ${startedAt.slice(0, 10)}`, text: JSON.stringify(lines) }
}
