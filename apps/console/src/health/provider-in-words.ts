import type { ProviderHealth } from '@parley/contracts'
import { timeAgo } from '../shell/time-ago.ts'

/** How a provider stands, in a line. */
export function providerInWords({ state, workedAt, failingSince }: ProviderHealth, now: number): string {
  switch (state) {
    case 'working':
      return workedAt ? `answers, last ${ago(workedAt, now)}` : 'answers, it is a part of Parley'
    case 'failing':
      return failingSince ? `does not answer, since ${since(failingSince, now)}` : 'does not answer'
    case 'untried':
      return 'was not asked yet'
    case 'not_set_up':
      return 'is not set up'
    default:
      return state satisfies never
  }
}

const ago = (at: string, now: number) => {
  const words = timeAgo(at, now)
  return words === 'now' ? 'just now' : isDate(words) ? `on ${words}` : `${words} ago`
}

const since = (at: string, now: number) => {
  const words = timeAgo(at, now)
  return words === 'now' ? 'a moment ago' : isDate(words) ? words : `${words} ago`
}

const isDate = (words: string) => !/^\d+ (min|h|d)$/.test(words)
