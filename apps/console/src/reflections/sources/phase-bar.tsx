import type { SourceStanding } from './source-standing.ts'

/** How far a source is, phase by phase. */
export function PhaseBar({
  title,
  phases,
}: {
  title: string
  phases: NonNullable<SourceStanding['phases']>
}) {
  return (
    <ol aria-label={`Phases of ${title}`} className="flex w-full max-w-md gap-1">
      {phases.map(({ name, done }) => (
        <li key={name} className="flex min-w-0 flex-1 flex-col gap-0.5">
          <progress aria-label={name} className="w-full" value={done} />
          <span
            aria-hidden="true"
            className={`truncate text-xs leading-4 max-sm:hidden ${done > 0 ? 'text-ink' : 'text-soft'}`}
          >
            {name}
          </span>
        </li>
      ))}
    </ol>
  )
}
