import type { SessionEvent } from '@parley/contracts'
import { useNavigate } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Choice } from '../../ui/field.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Notice } from '../../ui/notice.tsx'
import { PageBody } from '../../ui/page-body.tsx'
import { VirtualList } from '../../ui/virtual-list.tsx'
import { useOpenSession } from '../open-session.ts'
import { EVENT_TYPES, type EventType } from './event-type-in-address.ts'
import { EventRow } from './event-row.tsx'
import { useEventLog } from './use-event-log.ts'

/** All that happened in a session, as it was stored and as it comes. */
export function EventsPage({ type }: { type: EventType | undefined }) {
  const { session } = useOpenSession().open
  const { events, count, turns, connection, isUpToDate, error } = useEventLog(session)
  const navigate = useNavigate()
  const [startAt, setStartAt] = useState<number>()
  const shown = useMemo(
    () => (type === undefined ? events : events.slice(0, count).filter((event) => event.type === type)),
    [events, count, type],
  )
  const choose = (next: string) => {
    const search = next === '' ? {} : { type: next as EventType }
    void navigate({ to: '/sessions/$sessionId/events', params: session, search, replace: true })
  }
  return (
    <PageBody width="wide">
      <div className="flex flex-wrap items-end gap-x-4 gap-y-3">
        <div className="w-72 max-w-full">
          <Choice label="Show" value={type ?? ''} onChange={({ target }) => choose(target.value)}>
            <option value="">Every event</option>
            {EVENT_TYPES.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </Choice>
        </div>
        <Button disabled={shown.length === 0} onClick={() => setStartAt(shown.length - 1)}>
          <Icon name="down" />
          Latest
        </Button>
        <p role="status" className="text-soft min-h-9 py-2 text-sm tabular-nums">
          {standingOf(shown.length, isUpToDate, connection)}
        </p>
      </div>
      {error !== undefined && <Notice>{error}</Notice>}
      {isUpToDate && shown.length === 0 && (
        <p className="max-w-prose text-sm leading-6">
          {type === undefined ? 'Nothing has happened yet.' : `No event of this session is ${type}.`} Events
          come up here by themselves as they happen.
        </p>
      )}
      {shown.length > 0 && (
        <VirtualList
          label="Events"
          count={shown.length}
          itemAt={(index): SessionEvent | undefined => shown[index]}
          estimate={45}
          row={(event) => (
            <EventRow
              event={event}
              turn={'turnId' in event && event.turnId ? turns.get(event.turnId) : undefined}
            />
          )}
          onShown={ignore}
          startAt={startAt}
        />
      )}
    </PageBody>
  )
}

/** All events are here already. */
const ignore = () => undefined

function standingOf(count: number, isUpToDate: boolean, connection: 'live' | 'reconnecting'): string {
  const counted = `${count.toLocaleString()} ${count === 1 ? 'event' : 'events'}`
  if (connection === 'reconnecting') return `${counted}; connection lost, reconnecting…`
  return isUpToDate ? `${counted}, live` : `${counted}, reading…`
}
