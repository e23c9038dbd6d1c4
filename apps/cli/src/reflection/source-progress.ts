import { IngestPhase, type Source } from '@parley/contracts'
import { counted } from '../render/counted.ts'

/** How far a source is on its way through all phases, from 0 to 100. */
export function percentOf({ state, phase, progress }: Source): number {
  if (state === 'queued') return 0
  if (state !== 'running') return 100
  if (!phase) return 0
  const within = progress && progress.total > 0 ? Math.min(1, progress.done / progress.total) : 0
  return Math.floor(((IngestPhase.options.indexOf(phase) + within) / IngestPhase.options.length) * 100)
}

export const isUnderWay = ({ state }: Source): boolean => state === 'queued' || state === 'running'

/** What became of a source, or what is being done to it. */
export function outcomeText({ state, phase, facts, chunks, problem }: Source): string {
  switch (state) {
    case 'queued':
      return 'waiting'
    case 'running':
      return phase ?? 'running'
    case 'completed':
      return `completed: ${counted(chunks, 'chunk')}, ${counted(facts, 'fact')}`
    case 'duplicate_skipped':
      return `skipped: ${problem ?? 'the same bytes were learned before'}`
    case 'eval_rejected':
      return `rejected${problem ? `: ${problem}` : ''}`
    case 'failed':
      return `failed${problem ? `: ${problem}` : ''}`
    case 'removing':
      return 'is being removed'
    default:
      return state satisfies never
  }
}
