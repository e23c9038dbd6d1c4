import { type TranscriptTurn, turnsOf } from '@parley/api-client'
import { useEffect, useEffectEvent, useMemo, useState } from 'react'
import { findInTurns } from './find-in-turns.ts'
import type { SessionReader } from './session-reader.ts'
import type { OpenSession } from './session-state.ts'

/** What is found of words in a session, the last first. All that was said is read for it, once somebody looks. */
export function useFind({ transcript, earlier }: OpenSession, reader: SessionReader, words: string) {
  const [shown, setShown] = useState<TranscriptTurn['key']>()
  const turns = useMemo(() => turnsOf(transcript), [transcript])
  const found = useMemo(() => findInTurns(turns, words), [turns, words])
  const readOn = useEffectEvent(() => earlier === 'there' && reader.showEarlier())
  useEffect(() => {
    if (words !== '') readOn()
  }, [words, earlier, transcript.messages])
  const at = Math.max(0, shown === undefined ? found.length - 1 : found.findIndex(({ key }) => key === shown))
  return {
    found,
    at,
    turn: words === '' ? undefined : found[at],
    isReading: words !== '' && earlier !== 'none' && earlier !== 'failed',
    go: (to: number) => setShown(found[to]?.key),
    /** For other words: begins at the last again. */
    begin: () => setShown(undefined),
  }
}
