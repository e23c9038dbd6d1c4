import type { SessionView } from '@parley/contracts'
import { Link } from '@tanstack/react-router'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { PART_LOOK, PARTS_LOOK } from '../ui/parts-look.ts'
import { useOpener } from '../ui/use-opener.ts'
import { SessionActions } from './session-actions.tsx'

const PARTS = [
  { label: 'Transcript', to: '/sessions/$sessionId' },
  { label: 'Events', to: '/sessions/$sessionId/events' },
  { label: 'Replay', to: '/sessions/$sessionId/replay' },
  { label: 'Export', to: '/sessions/$sessionId/export' },
] as const

interface SessionPartsProps {
  readonly session: SessionView
  /** Called where the session is to be read anew. */
  readonly onChanged: () => void
}

/** The ways to look at a session, and what can be done with it. */
export function SessionParts({ session, onChanged }: SessionPartsProps) {
  const actions = useOpener()
  return (
    <>
      <nav aria-label="Views of the session" className={`flex items-center ${PARTS_LOOK}`}>
        <ul className="flex flex-1 flex-wrap">
          {PARTS.map(({ label, to }) => (
            <li key={label}>
              <Link
                to={to}
                params={{ sessionId: session.sessionId }}
                activeOptions={{ exact: true, includeSearch: false }}
                className={PART_LOOK}
              >
                {label}
              </Link>
            </li>
          ))}
        </ul>
        <Link
          to="/sessions/$sessionId"
          params={{ sessionId: session.sessionId }}
          search={{ find: '' }}
          aria-label="Find in this session"
          title="Find in this session"
          aria-current={false}
          className="text-soft hover:text-ink inline-flex min-h-9 items-center justify-center px-2 text-sm max-sm:min-h-11 max-sm:min-w-11"
        >
          <Icon name="search" />
        </Link>
        <Button
          look="bare"
          aria-label="More for this session"
          title="More for this session"
          {...actions.opener}
        >
          <Icon name="more" />
        </Button>
      </nav>
      {actions.isOpen && <SessionActions session={session} onClose={actions.close} onChanged={onChanged} />}
    </>
  )
}
