import { AGENT_ACTIONS, type SessionReflection, type SessionView } from '@parley/contracts'
import { RECORD_LABELS, isOffline } from '../session/text-labels.ts'

export function PermissionsView({ session }: { session: SessionView | undefined }) {
  return (
    <details className="text-sm leading-6" onToggle={({ currentTarget }) => scrollToOpened(currentTarget)}>
      <summary className="text-soft hover:text-ink w-fit">Permissions</summary>
      {session?.reflection ? (
        <dl className="mt-2 grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1">
          {describePermissions(session.reflection, session).map(({ label, text }) => (
            <div key={label} className="contents">
              <dt className="text-soft">{label}</dt>
              <dd className="wrap-anywhere">{text}</dd>
            </div>
          ))}
        </dl>
      ) : (
        <p className="text-soft mt-2">Shown once the conversation has started.</p>
      )}
    </details>
  )
}

/** Otherwise the opened part would be below the screen. */
function scrollToOpened(details: HTMLDetailsElement) {
  if (details.open) details.scrollIntoView({ block: 'nearest' })
}

interface PermissionLine {
  readonly label: string
  readonly text: string
}

const AUDIENCES: Record<SessionReflection['audience'], string> = {
  private: 'Members: private facts may be used',
  public: 'Public: only published facts are used',
}

const MODES: Record<SessionReflection['mode'], string> = {
  reflection: 'Answers as the person',
  interview: 'Interview: asks questions, gives no answers',
  share: 'Answers visitors',
}

/** How the conversation is saved, before or after its end. */
export const describeRecord = (
  ingestion: SessionReflection['ingestion'],
  status: SessionView['status'] | undefined,
): string =>
  ingestion === 'ingest' && status === 'ended' ? 'Saved, and used for learning' : RECORD_LABELS[ingestion]

export function describePermissions(
  { mode, audience, actions, namespaces, ingestion }: SessionReflection,
  session: Pick<SessionView, 'provider' | 'model' | 'status'>,
): readonly PermissionLine[] {
  return [
    { label: 'For', text: AUDIENCES[audience] },
    { label: 'Mode', text: MODES[mode] },
    { label: 'It can', text: actions.map((action) => AGENT_ACTIONS[action].labels.permission).join('; ') },
    { label: 'Folders', text: namespaces.length > 0 ? namespaces.join(', ') : 'None' },
    { label: 'Record', text: describeRecord(ingestion, session.status) },
    {
      label: 'Model',
      text: isOffline(session) ? 'Built-in offline model (quotes only)' : session.model,
    },
  ]
}
