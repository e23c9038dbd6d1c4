import type { AskReflection, Retrieved } from '@parley/contracts'

/** How much was found, for whom, and how long it took. */
export function foundInWords(
  { evidence, partial, tookMs }: Retrieved,
  audience: AskReflection['audience'],
): string {
  const count = evidence.length
  const found = count === 0 ? 'Nothing found' : `${count} ${count === 1 ? 'piece' : 'pieces'} of evidence`
  const took = tookMs === undefined ? '' : ` in ${Math.max(1, Math.round(tookMs))} ms`
  const forWhom = audience === 'public' ? ', as the public sees it' : ''
  return `${found}${took}${forWhom}.${partial ? ' The time was up before all was looked through.' : ''}`
}
