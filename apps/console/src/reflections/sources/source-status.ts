import { IngestPhase, type Source } from '@parley/contracts'
import { pluralize } from '../../ui/format.ts'

export interface SourceStatus {
  readonly kind: 'busy' | 'done' | 'wrong'
  readonly label: string
  /** The progress of each phase, from 0 to 1; absent before the first phase. */
  readonly phases?: readonly { readonly name: string; readonly done: number }[]
}

export function getSourceStatus(source: Source): SourceStatus {
  const { state } = source
  switch (state) {
    case 'queued':
      return { kind: 'busy', label: 'Queued' }
    case 'running':
      return getRunningStatus(source)
    case 'removing':
      return { kind: 'busy', label: 'Removing' }
    case 'completed':
      return { kind: 'done', label: `Imported: ${describeSize(source)}` }
    case 'duplicate_skipped':
      return { kind: 'done', label: `No changes: ${describeSize(source)} already imported` }
    case 'eval_rejected':
      return { kind: 'wrong', label: 'Rejected by the checks' }
    case 'failed':
      return { kind: 'wrong', label: 'Import failed' }
    default:
      return state satisfies never
  }
}

/** The short name of each phase, and the text shown while it runs. */
const PHASES: Record<IngestPhase, { readonly name: string; readonly activity: string }> = {
  read: { name: 'Read', activity: 'Reading' },
  extract: { name: 'Text', activity: 'Extracting text' },
  split: { name: 'Passages', activity: 'Splitting into passages' },
  facts: { name: 'Facts', activity: 'Finding facts' },
  evaluate: { name: 'Check', activity: 'Checking facts' },
  apply: { name: 'Save', activity: 'Saving facts' },
}

function getRunningStatus({ phase, progress }: Source): SourceStatus {
  if (!phase) return { kind: 'busy', label: 'Starting' }
  const within = progress && progress.total > 0 ? Math.min(progress.done / progress.total, 1) : 0
  const count = progress && progress.total > 1 ? `, ${progress.done} of ${progress.total}` : ''
  return {
    kind: 'busy',
    label: `${PHASES[phase].activity}${count}`,
    phases: IngestPhase.options.map((each, at) => ({
      name: PHASES[each].name,
      done: each === phase ? within : Number(at < IngestPhase.options.indexOf(phase)),
    })),
  }
}

const describeSize = ({ chunks, facts }: Source) =>
  `${pluralize(chunks, 'passage')}, ${pluralize(facts, 'fact')}`

/** The progress of the import, for screen readers. */
export function describeProgress(sources: readonly Source[]): string {
  const busy = sources.filter((source) => getSourceStatus(source).kind === 'busy').length
  if (busy > 0) return `Importing ${pluralize(busy, 'source')}.`
  const wrong = sources.filter((source) => getSourceStatus(source).kind === 'wrong').length
  if (wrong > 0) return `Import finished; ${wrong} failed.`
  return sources.length > 0 ? 'All sources are imported.' : ''
}
