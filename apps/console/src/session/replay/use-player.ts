import type { SessionEvent } from '@parley/contracts'
import { useEffect, useState } from 'react'
import { nextBeat } from './create-replay.ts'
import type { Speed } from './place-in-address.ts'

export interface Player {
  /** How many events have been played. */
  readonly count: number
  readonly isPlaying: boolean
  readonly play: () => void
  readonly pause: () => void
  readonly goTo: (count: number) => void
}

/** Goes through events one after another, at their own pace or faster, until the last or until it is stopped. */
export function usePlayer(events: readonly SessionEvent[], start: number, speed: Speed): Player {
  const [played, setPlayed] = useState(start)
  const [wantsToPlay, setWantsToPlay] = useState(false)
  const count = Math.min(played, events.length)
  const isPlaying = wantsToPlay && count < events.length
  useEffect(() => {
    if (!isPlaying) return undefined
    const beat = nextBeat(events, count, speed)
    const timer = setTimeout(() => setPlayed(Math.min(beat.count, events.length)), beat.inMs)
    return () => clearTimeout(timer)
  }, [events, count, speed, isPlaying])
  return {
    count,
    isPlaying,
    play: () => {
      if (count >= events.length) setPlayed(0)
      setWantsToPlay(true)
    },
    pause: () => setWantsToPlay(false),
    goTo: (to) => {
      setWantsToPlay(false)
      setPlayed(Math.min(Math.max(to, 0), events.length))
    },
  }
}
