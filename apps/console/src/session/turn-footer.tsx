import { shortMoneyOf } from '@parley/contracts'
import { timeInWords } from '../ui/time-in-words.ts'
import { durationInWords } from './duration-in-words.ts'
import type { TurnDetail } from './turn-details.ts'

interface TurnFooterProps {
  readonly at: string
  readonly detail: TurnDetail | undefined
}

/** When a turn was, and what it took. One line from the beginning, so that nothing moves when the rest is known. */
export function TurnFooter({ at, detail }: TurnFooterProps) {
  return (
    <p className="text-soft truncate text-xs leading-5 tabular-nums">
      <time dateTime={at}>{timeInWords(at)}</time>
      {detail && toldOf(detail).map((words) => ` · ${words}`)}
    </p>
  )
}

function toldOf({ model, tookMs, tokens, microcents }: TurnDetail): readonly string[] {
  return [
    ...(model === undefined ? [] : [model]),
    ...(tookMs === undefined ? [] : [durationInWords(tookMs)]),
    ...(tokens ? [`${tokens.toLocaleString()} tokens`] : []),
    ...(microcents ? [shortMoneyOf(microcents)] : []),
  ]
}
