import { IngestPhase, type Source } from '@parley/contracts'

/** How a source stands, for people. */
export interface SourceStanding {
  readonly kind: 'busy' | 'done' | 'wrong'
  readonly words: string
  /** How far each phase is, from 0 to 1; absent where none has begun. */
  readonly phases?: readonly { readonly name: string; readonly done: number }[]
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

/** What a phase is called in short, and what is done in it. */
const PHASES: Record<IngestPhase, { readonly name: string; readonly doing: string }> = {
  read: { name: 'Read', doing: 'Reading' },
  extract: { name: 'Text', doing: 'Taking out the text' },
  split: { name: 'Chunks', doing: 'Splitting it into chunks' },
  facts: { name: 'Facts', doing: 'Finding facts' },
  evaluate: { name: 'Check', doing: 'Checking the facts' },
  apply: { name: 'Learn', doing: 'Taking them in' },
}

function running({ phase, progress }: Source): SourceStanding {
  if (!phase) return { kind: 'busy', words: 'Begins' }
  const within = progress && progress.total > 0 ? Math.min(progress.done / progress.total, 1) : 0
  const count = progress && progress.total > 1 ? `, ${progress.done} of ${progress.total}` : ''
  return {
    kind: 'busy',
    words: `${PHASES[phase].doing}${count}`,
    phases: IngestPhase.options.map((each, at) => ({
      name: PHASES[each].name,
      done: each === phase ? within : Number(at < IngestPhase.options.indexOf(phase)),
    })),
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
