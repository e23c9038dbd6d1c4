import type { SessionReflection, SessionView, VoiceAction } from '@parley/contracts'
import { isOffline } from '../session/model-label.ts'

export interface AllowedLine {
  readonly label: string
  readonly text: string
}

const AUDIENCES: Record<SessionReflection['audience'], string> = {
  private: 'Members: what is private may be told here',
  public: 'The public: only what is published may be told',
}

const MODES: Record<SessionReflection['mode'], string> = {
  reflection: 'It answers as the person it speaks for',
  interview: 'It asks, and does not answer for anybody',
  share: 'It answers visitors',
}

const ACTIONS: Record<VoiceAction, string> = {
  'retrieve-context': 'look things up',
  'request-source-ingest': 'hand in what you tell it, which counts once it is approved',
  'propose-fact-correction': 'propose corrections, which count once they are approved',
}

const KEEPING: Record<SessionReflection['ingestion'], string> = {
  ingest: 'Kept, and learned from once it ends',
  'keep-only': 'Kept as a session, and not learned from',
  'off-record': 'Off the record: nothing of it is kept',
}

/** What becomes of what is said, or has become of it once it is over. */
export const keepingInWords = (
  ingestion: SessionReflection['ingestion'],
  status: SessionView['status'] | undefined,
): string => (ingestion === 'ingest' && status === 'ended' ? 'Kept, and learned from' : KEEPING[ingestion])

/** What a session may use and what becomes of it, line by line. */
export function allowedInWords(
  { mode, audience, actions, namespaces, ingestion }: SessionReflection,
  session: Pick<SessionView, 'provider' | 'model' | 'status'>,
): readonly AllowedLine[] {
  return [
    { label: 'For', text: AUDIENCES[audience] },
    { label: 'Mode', text: MODES[mode] },
    { label: 'It may', text: actions.map((action) => ACTIONS[action]).join('; ') },
    { label: 'Looks in', text: namespaces.length > 0 ? namespaces.join(', ') : 'Nothing: none is there' },
    { label: 'Record', text: keepingInWords(ingestion, session.status) },
    {
      label: 'Model',
      text: isOffline(session) ? 'The built-in offline model, which finds and quotes' : session.model,
    },
  ]
}
