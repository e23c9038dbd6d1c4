import { type StoredGeneration, VoiceArtifacts } from '@parley/contracts'
import { type ArtifactsChange, artifactsDiff } from '@parley/reflections'
import { DiffLineView } from '../../../ui/diff-line-view.tsx'
import { ReadState } from '../read-state.tsx'
import { useGeneration } from './use-generation.ts'

interface GenerationDiffProps {
  readonly stored: StoredGeneration
  readonly beside: number
}

/** What the later of two generations says otherwise than the earlier one. */
export function GenerationDiff({ stored, beside }: GenerationDiffProps) {
  const other = useGeneration(beside)
  if (!other.data) return <ReadState reading={other} waiting="Reading the other generation…" />
  const [earlier, later] =
    stored.generation < beside ? ([stored, other.data] as const) : ([other.data, stored] as const)
  const one = VoiceArtifacts.safeParse(earlier.artifacts)
  const two = VoiceArtifacts.safeParse(later.artifacts)
  if (!one.success || !two.success) {
    const missing = one.success ? later : earlier
    return (
      <p className="max-w-prose text-sm leading-6">
        What generation {missing.generation} said is not there any more, so there is nothing to compare with.
      </p>
    )
  }
  const changes = artifactsDiff(one.data, two.data)
  return (
    <>
      <p role="status" className="text-sm leading-6">
        {changes.length === 0
          ? `Generations ${earlier.generation} and ${later.generation} say the same.`
          : `From generation ${earlier.generation} to ${later.generation}, ${changes.length === 1 ? 'one part changes' : `${changes.length} parts change`}.`}
      </p>
      {changes.map((change) => (
        <ChangeView key={change.part} change={change} />
      ))}
    </>
  )
}

const ChangeView = ({ change: { part, removed, added } }: { change: ArtifactsChange }) => (
  <section aria-label={part} className="flex flex-col gap-1.5">
    <h3 className="font-serif">{part.charAt(0).toUpperCase() + part.slice(1)}</h3>
    <div
      role="group"
      aria-label={`What changes in ${part}`}
      tabIndex={0}
      className="border-line max-h-96 overflow-auto rounded-sm border py-1.5 text-sm leading-6"
    >
      {removed.map((line, index) => (
        <DiffLineView key={`removed ${index}`} kind="removed" text={line} />
      ))}
      {added.map((line, index) => (
        <DiffLineView key={`added ${index}`} kind="added" text={line} />
      ))}
    </div>
  </section>
)
