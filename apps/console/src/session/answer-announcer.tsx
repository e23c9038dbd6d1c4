import type { TranscriptTurn } from '@parley/api-client'
import { useEffect, useState } from 'react'

/** Long enough to be picked up, short enough not to be met again by someone who reads through the page. */
const SAID_FOR_MS = 10_000

/** Reads an answer out to those who listen once it is whole: word by word it could not be followed. */
export function AnswerAnnouncer({ turn }: { turn: TranscriptTurn | undefined }) {
  const [heard, setHeard] = useState(() => ({ ...placeOf(turn), text: '' }))

  useEffect(() => {
    if (!turn) return
    setHeard((last) => {
      const place = placeOf(turn)
      if (place.key === last.key && place.running === last.running && place.callId === last.callId)
        return last
      return { ...place, text: place.running ? '' : announcementOf(turn) }
    })
  }, [turn])

  useEffect(() => {
    if (heard.text === '') return undefined
    const over = setTimeout(() => setHeard((last) => ({ ...last, text: '' })), SAID_FOR_MS)
    return () => clearTimeout(over)
  }, [heard.text])

  return (
    <div role="status" aria-live="polite" aria-label="Latest answer" className="sr-only">
      {heard.text}
    </div>
  )
}

const placeOf = (turn: TranscriptTurn | undefined) => ({
  key: turn?.key ?? 0,
  running: turn?.state === 'running',
  callId: turn?.waitsFor?.callId,
})

/** A failure is an alert and speaks for itself. */
function announcementOf({ parts, state, waitsFor }: TranscriptTurn): string {
  if (waitsFor) return `${waitsFor.tool} waits for your decision: ${waitsFor.target}`
  const answer = parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join(' ')
  return state === 'cancelled' ? `${answer} Stopped.`.trim() : answer
}
