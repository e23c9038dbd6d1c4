import type { SessionEvent } from '@parley/contracts'
import { useState } from 'react'
import { timeInWords } from '../../ui/time-in-words.ts'
import { visibleText } from '../../ui/visible-text.ts'
import { eventGist } from './event-gist.ts'

/** An event in one line; all of it is behind that. */
export function EventRow({ event, turn }: { event: SessionEvent; turn: number | undefined }) {
  const { sequenceNumber, fromSequence, timestamp, type } = event
  const [isOpen, setOpen] = useState(false)
  return (
    <details className="text-sm" open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="hover:bg-shade grid grid-cols-[2.75rem_auto_minmax(0,1fr)] items-baseline gap-x-4 gap-y-0.5 py-2.5 lg:grid-cols-[4.5rem_6rem_4rem_13rem_minmax(0,1fr)]">
        <span
          className="text-soft text-end tabular-nums"
          title={fromSequence === undefined ? undefined : `Stands for ${fromSequence} to ${sequenceNumber}`}
        >
          {sequenceNumber}
        </span>
        <time dateTime={timestamp} title={timeInWords(timestamp)} className="text-soft tabular-nums">
          {clockOf(timestamp)}
        </time>
        <span className="text-soft tabular-nums">{turn !== undefined && `turn ${turn}`}</span>
        <span className="min-w-0 truncate font-mono text-xs leading-5 max-lg:col-span-2 max-lg:col-start-2">
          {type}
        </span>
        <span className="text-soft min-w-0 truncate max-lg:col-span-2 max-lg:col-start-2" dir="auto">
          {eventGist(event)}
        </span>
      </summary>
      {isOpen && (
        <pre
          role="group"
          aria-label={`Event ${sequenceNumber}`}
          tabIndex={0}
          dir="ltr"
          className="bg-shade border-line mb-3 max-h-80 overflow-auto rounded-sm border px-2.5 py-1.5 font-mono text-xs leading-5 wrap-anywhere whitespace-pre-wrap"
        >
          {visibleText(JSON.stringify(event, undefined, 2))}
        </pre>
      )}
    </details>
  )
}

/** To the millisecond: events come close to each other. */
const clockOf = (timestamp: string): string =>
  new Date(timestamp).toLocaleTimeString(undefined, {
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    fractionalSecondDigits: 3,
    hour12: false,
  })
