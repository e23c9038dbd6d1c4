import type { TranscriptTurn } from '@parley/api-client'
import { type KeyboardEvent, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'

interface FindBarProps {
  readonly words: string
  readonly found: readonly TranscriptTurn[]
  /** Which of those found is shown. */
  readonly at: number
  /** While what came before is still being read. */
  readonly isReading: boolean
  readonly onWords: (words: string) => void
  readonly onGo: (at: number) => void
  readonly onClose: () => void
}

/** Looks for words in one session, which the browser's own search cannot: it sees only what is drawn. */
export function FindBar({ words, found, at, isReading, onWords, onGo, onClose }: FindBarProps) {
  const [text, setText] = useState(words)
  const go = (step: number) => {
    if (found.length > 0) onGo((at + step + found.length) % found.length)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Enter' && text.trim() === words) go(event.shiftKey ? 1 : -1)
    else if (event.key === 'Enter') onWords(text.trim())
    else if (event.key === 'Escape') onClose()
    else return
    event.preventDefault()
  }
  return (
    <div
      role="search"
      aria-label="Find in this session"
      className="border-line bg-shade flex flex-wrap items-center gap-x-2 gap-y-1 border-b px-4 py-2 sm:px-8"
    >
      <input
        type="search"
        aria-label="Find in this session"
        placeholder="Find in this session"
        autoFocus
        autoComplete="off"
        spellCheck={false}
        maxLength={200}
        value={text}
        onChange={({ target }) => setText(target.value)}
        onBlur={() => text.trim() !== words && onWords(text.trim())}
        onKeyDown={onKeyDown}
        className="placeholder:text-soft border-edge focus:border-accent bg-paper min-h-9 min-w-0 flex-1 rounded-md border px-2 text-sm outline-offset-0 max-sm:min-h-11 max-sm:basis-full [&::-webkit-search-cancel-button]:appearance-none"
      />
      <p role="status" className="text-soft min-w-28 text-sm tabular-nums">
        {toldOf(words, found.length, at, isReading)}
      </p>
      <Button
        look="bare"
        aria-label="Earlier"
        title="Earlier (Enter)"
        disabled={found.length < 2}
        onClick={() => go(-1)}
      >
        <Icon name="up" />
      </Button>
      <Button
        look="bare"
        aria-label="Later"
        title="Later (Shift and Enter)"
        disabled={found.length < 2}
        onClick={() => go(1)}
      >
        <Icon name="down" />
      </Button>
      <Button look="bare" aria-label="Close the search" onClick={onClose}>
        <Icon name="close" />
      </Button>
    </div>
  )
}

function toldOf(words: string, count: number, at: number, isReading: boolean): string {
  if (words === '') return 'Press Enter'
  const reading = isReading ? ', still reading…' : ''
  if (count === 0) return isReading ? 'Reading…' : 'Nothing found'
  return `${at + 1} of ${count}${reading}`
}
