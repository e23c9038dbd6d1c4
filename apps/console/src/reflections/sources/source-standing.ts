import type { IngestPhase, Source } from '@parley/contracts'

/** How a source stands, for people. */
export interface SourceStanding {
  readonly kind: 'busy' | 'done' | 'wrong'
  readonly words: string
  /** How far it is, from 0 to 1; absent where that is not known. */
  readonly done?: number
}

export function sourceStanding(source: Source): SourceStanding {
  const { state } = source
  switch (state) {
    case 'queued':
      return { kind: 'busy', words: 'Waits for its turn' }
    case 'running':
      return running(source)
    case 'removing':
      return { kind: 'busy', words: 'Is being removed' }
    case 'completed':
      return { kind: 'done', words: `Learned: ${counted(source)}` }
    case 'duplicate_skipped':
      return { kind: 'done', words: `Nothing new in it: ${counted(source)} from before` }
    case 'eval_rejected':
      return { kind: 'wrong', words: 'Rejected by the rules' }
    case 'failed':
      return { kind: 'wrong', words: 'Could not be learned' }
    default:
      return state satisfies never
  }
}

const PHASES: Record<IngestPhase, string> = {
  read: 'Reading',
  extract: 'Taking out the text',
  split: 'Splitting it into chunks',
  facts: 'Finding facts',
  evaluate: 'Checking the facts',
  apply: 'Taking them in',
}

const ORDER = Object.keys(PHASES)

function running({ phase, progress }: Source): SourceStanding {
  if (!phase) return { kind: 'busy', words: 'Begins' }
  const within = progress && progress.total > 0 ? Math.min(progress.done / progress.total, 1) : 0
  const count = progress && progress.total > 1 ? `, ${progress.done} of ${progress.total}` : ''
  return {
    kind: 'busy',
    words: `${PHASES[phase]}${count}`,
    done: (ORDER.indexOf(phase) + within) / ORDER.length,
  }
}

const counted = ({ chunks, facts }: Source) =>
  `${chunks} ${chunks === 1 ? 'chunk' : 'chunks'}, ${facts} ${facts === 1 ? 'fact' : 'facts'}`

/** What is said aloud while sources are learned. */
export function announcementOf(sources: readonly Source[]): string {
  const busy = sources.filter((source) => sourceStanding(source).kind === 'busy').length
  if (busy > 0) return busy === 1 ? '1 source is being worked on.' : `${busy} sources are being worked on.`
  const wrong = sources.filter((source) => sourceStanding(source).kind === 'wrong').length
  if (wrong > 0) return `All are done; ${wrong} could not be learned.`
  return sources.length > 0 ? 'All sources are learned.' : ''
}
