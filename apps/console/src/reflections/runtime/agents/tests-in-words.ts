import type { AgentTestReport } from '@parley/contracts'

/** What the tests came to, in a sentence. */
export function testsInWords({ items }: AgentTestReport): string {
  const count = (wanted: string) => items.filter(({ verdict }) => verdict === wanted).length
  if (items.every(({ verdict }) => verdict === undefined)) return `${items.length} tests, not run yet.`
  const parts = [
    `${count('passed')} of ${items.length} passed`,
    ...(count('failed') > 0 ? [`${count('failed')} failed`] : []),
    ...(count('unfinished') > 0 ? [`${count('unfinished')} did not end in time`] : []),
  ]
  return `${parts.join(', ')}.`
}
