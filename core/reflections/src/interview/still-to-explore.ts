import type { ExtraSources } from '../starting/extras-of.ts'
import { exploreNext, notYetAsked } from './explore-next.ts'

/** What an interview with this person asks about, in order. Where nothing has been learned yet, everything is unknown. */
export async function stillToExplore(
  sources: Pick<ExtraSources, 'promoted' | 'interviews'>,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const unknown = (await sources.promoted(signal))?.explore_next ?? exploreNext([])
  return notYetAsked(unknown, await sources.interviews(signal))
}
