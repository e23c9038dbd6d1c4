import type { DriftReport } from '@parley/contracts'

/** What a comparison came to, in a sentence. */
export function driftInWords({ items, server }: DriftReport): string {
  const all = [...items, ...server]
  const off = all.filter(({ status }) => status === 'differs' || status === 'gone').length
  const made = all.filter(({ status }) => status !== 'not_made').length
  if (made === 0) return 'No agent has been made yet.'
  if (off === 0) return 'Nothing differs.'
  return off === 1 ? 'One agent is not as it should be.' : `${off} agents are not as they should be.`
}
