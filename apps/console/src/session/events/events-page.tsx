import { useNavigate, getRouteApi } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { type SessionEvent, type Usage, formatShortMoney, removeFence } from '@parley/contracts'
import { Button } from '../../ui/button.tsx'
import { CodeBox } from '../../ui/code-box.tsx'
import { Choice } from '../../ui/field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { PageBody } from '../../ui/page-body.tsx'
import { cutText, formatTime, pluralize } from '../../ui/format.ts'
import { VirtualList } from '../../ui/virtual-list.tsx'
import { escapeInvisible } from '../../ui/escape-invisible.ts'
import { EVENT_TYPES, type EventType } from '../../app/search-params.ts'
import { useOpenSession } from '../open-session.ts'
import { getCallSubject, getMessageText } from '../text-labels.ts'
import { getTurnNumber, useEventLog } from './use-event-log.ts'

const route = getRouteApi('/sessions/$sessionId/events')

/** The live event log of a session. */
export function EventsPage() {
  const { type } = route.useSearch()
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
          <Choice
            label="Show"
            value={type ?? ''}
            options={Object.fromEntries(EVENT_TYPES.map((name) => [name, name]))}
            onChoose={choose}
          >
            <option value="">All events</option>
          </Choice>
        </div>
        <Button icon="down" disabled={shown.length === 0} onClick={() => setStartAt(shown.length - 1)}>
          Latest
        </Button>
        <p role="status" className="text-soft min-h-9 py-2 text-sm tabular-nums">
          {describeLog(shown.length, isUpToDate, connection)}
        </p>
      </div>
      {error !== undefined && <Notice>{error}</Notice>}
      {isUpToDate && shown.length === 0 && (
        <p className="max-w-prose text-sm leading-6">
          {type === undefined ? 'No events yet.' : `No ${type} events.`} New events appear automatically.
        </p>
      )}
      {shown.length > 0 && (
        <VirtualList
          label="Events"
          count={shown.length}
          itemAt={(index): SessionEvent | undefined => shown[index]}
          estimate={45}
          row={(event) => <EventRow event={event} turn={getTurnNumber(turns, event)} />}
          startAt={startAt}
        />
      )}
    </PageBody>
  )
}

function describeLog(count: number, isUpToDate: boolean, connection: 'live' | 'reconnecting'): string {
  const counted = pluralize(count, 'event')
  if (connection === 'reconnecting') return `${counted}; connection lost, reconnecting…`
  return isUpToDate ? `${counted}, live` : `${counted}, loading…`
}

/** An event in one line, with the full JSON behind it. */
function EventRow({ event, turn }: { event: SessionEvent; turn: number | undefined }) {
  const { sequenceNumber, fromSequence, timestamp, type } = event
  const [isOpen, setOpen] = useState(false)
  return (
    <details className="text-sm" open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="hover:bg-shade grid grid-cols-[2.75rem_auto_minmax(0,1fr)] items-baseline gap-x-4 gap-y-0.5 py-2.5 lg:grid-cols-[4.5rem_6rem_4rem_13rem_minmax(0,1fr)]">
        <span
          className="text-soft text-end tabular-nums"
          title={fromSequence === undefined ? undefined : `Combines ${fromSequence} to ${sequenceNumber}`}
        >
          {sequenceNumber}
        </span>
        <time dateTime={timestamp} title={formatTime(timestamp)} className="text-soft tabular-nums">
          {formatClockTime(timestamp)}
        </time>
        <span className="text-soft tabular-nums">{turn !== undefined && `turn ${turn}`}</span>
        <span className="min-w-0 truncate font-mono text-xs leading-5 max-lg:col-span-2 max-lg:col-start-2">
          {type}
        </span>
        <span className="text-soft min-w-0 truncate max-lg:col-span-2 max-lg:col-start-2" dir="auto">
          {summarizeEvent(event)}
        </span>
      </summary>
      {isOpen && (
        <CodeBox label={`Event ${sequenceNumber}`} className="mb-3 max-h-80 px-2.5">
          {JSON.stringify(event, undefined, 2)}
        </CodeBox>
      )}
    </details>
  )
}

/** To the millisecond, since events are close together. */
const formatClockTime = (timestamp: string): string =>
  new Date(timestamp).toLocaleTimeString(undefined, {
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    fractionalSecondDigits: 3,
    hour12: false,
  })

const MAX_LENGTH = 160

export const summarizeEvent = (event: SessionEvent): string =>
  cutText(escapeInvisible(describeEvent(event).replace(/\s+/g, ' ').trim()), MAX_LENGTH)

function describeEvent(event: SessionEvent): string {
  switch (event.type) {
    case 'session:started':
      return `${event.agent.id} with ${event.agent.provider}/${event.agent.model}`
    case 'session:turn_started':
      return `${event.continued ? 'continues: ' : ''}${getMessageText(event.message)}`
    case 'session:turn_completed':
      return `${event.stopReason}${describeTokens(event.usage)}${event.error ? `: ${event.error.message}` : ''}`
    case 'agent:token':
      return event.token
    case 'agent:reasoning':
      return event.text
    case 'agent:tool_call':
      return `${event.call.name} ${getCallSubject(event.call)}`
    case 'agent:tool_decided':
      return `${event.tool} ${event.verdict} by ${event.by}${event.reason ? `: ${event.reason}` : ''}`
    case 'agent:tool_result':
      return event.outcome.kind === 'ok'
        ? removeFence(event.outcome.text)
        : `${event.outcome.code}: ${removeFence(event.outcome.text)}`
    case 'agent:approval_requested':
      return `${event.tool} on ${event.target}`
    case 'agent:approval_answered':
      return event.unattended ? `${event.decision}: nobody was present` : event.decision
    case 'agent:retry_scheduled':
      return `in ${Math.max(1, Math.round(event.waitMs / 1_000))} s: ${event.error.message}`
    case 'cost:updated':
      return `${formatShortMoney(event.totalMicrocents)} so far, with ${event.model}`
    case 'budget:warning':
    case 'budget:paused':
      return `${formatShortMoney(event.totalMicrocents)} of ${formatShortMoney(event.maxMicrocents)}`
    case 'session:compacted':
    case 'session:trimmed':
      return `up to message ${event.uptoSequence}`
    case 'session:exported':
      return event.format
    case 'agent:step_discarded':
    case 'session:cancelled':
    case 'session:compacting':
      return ''
    default:
      event satisfies never
      return ''
  }
}

/** Voice calls report no usage. */
const describeTokens = ({ inputTokens, outputTokens }: Usage): string =>
  inputTokens + outputTokens === 0 ? '' : `, ${inputTokens} + ${outputTokens} tokens`
