import type { SessionEvent } from '@parley/contracts'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { timeInWords } from '../../ui/time-in-words.ts'
import { type Speed, SPEEDS } from './place-in-address.ts'
import type { Player } from './use-player.ts'

interface PlayerBarProps {
  readonly player: Player
  readonly events: readonly SessionEvent[]
  /** While the events are still being read. */
  readonly isReading: boolean
  readonly speed: Speed
  readonly onSpeed: (speed: Speed) => void
}

const NAMES: Record<Speed, string> = { '1': '1×', '4': '4×', max: 'Max' }

/** Play, pause, step, and the place in all of it. */
export function PlayerBar({ player, events, isReading, speed, onSpeed }: PlayerBarProps) {
  const { count, isPlaying, play, pause, goTo } = player
  const last = events[count - 1]
  return (
    <div
      role="group"
      aria-label="Replay"
      className="border-line flex flex-wrap items-center gap-x-3 gap-y-2 border-t px-4 py-3 sm:px-8"
    >
      <Button
        look="main"
        className="min-w-24"
        disabled={events.length === 0}
        onClick={isPlaying ? pause : play}
      >
        <Icon name={isPlaying ? 'pause' : 'play'} />
        {isPlaying ? 'Pause' : 'Play'}
      </Button>
      <Button aria-label="One event back" disabled={count === 0} onClick={() => goTo(count - 1)}>
        <Icon name="stepBack" />
      </Button>
      <Button aria-label="One event on" disabled={count >= events.length} onClick={() => goTo(count + 1)}>
        <Icon name="step" />
      </Button>
      <input
        type="range"
        aria-label="Place"
        aria-valuetext={`Event ${count} of ${events.length}`}
        min={0}
        max={events.length}
        value={count}
        onChange={({ target }) => goTo(Number(target.value))}
        className="min-w-32 flex-1 max-sm:order-last max-sm:basis-full"
      />
      <fieldset className="flex gap-1">
        <legend className="sr-only">Speed</legend>
        {SPEEDS.map((one) => (
          <Button
            key={one}
            look={one === speed ? 'plain' : 'bare'}
            aria-pressed={one === speed}
            onClick={() => onSpeed(one)}
          >
            {NAMES[one]}
          </Button>
        ))}
      </fieldset>
      <p className="text-soft basis-full truncate text-xs tabular-nums">
        {count.toLocaleString()} of {events.length.toLocaleString()} events
        {isReading && ', reading…'}
        {last && ` · ${timeInWords(last.timestamp)} · ${last.type}`}
      </p>
    </div>
  )
}
