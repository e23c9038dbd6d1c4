import type { AgentDrift, ServerAgentDrift } from '@parley/contracts'
import { DiffLineView } from '../../../ui/diff-line-view.tsx'
import { visibleText } from '../../../ui/visible-text.ts'
import { Mark } from '../mark.tsx'
import { fieldLines } from './field-lines.ts'

const STATUSES: Readonly<
  Record<AgentDrift['status'], { readonly label: string; readonly look: 'good' | 'bad' | 'quiet' }>
> = {
  as_wanted: { label: 'As it should be', look: 'good' },
  differs: { label: 'Differs', look: 'bad' },
  gone: { label: 'Gone from the provider', look: 'bad' },
  not_made: { label: 'Not made yet', look: 'quiet' },
  not_comparable: { label: 'Nothing to compare with yet', look: 'quiet' },
}

export function DriftView({ name, drift }: { name: string; drift: AgentDrift | ServerAgentDrift }) {
  const { label, look } = STATUSES[drift.status]
  return (
    <li className="flex flex-col gap-3 py-3.5 text-sm leading-6">
      <div className="flex flex-wrap items-center gap-3">
        <h3 className="font-medium">{name}</h3>
        <Mark look={look}>{label}</Mark>
      </div>
      {drift.why.map((why) => (
        <p key={why} className="max-w-prose">
          {visibleText(why)}
        </p>
      ))}
      {drift.differences.map((difference) => (
        <figure key={difference.path} className="flex flex-col gap-1">
          <figcaption className="font-mono text-xs">{visibleText(difference.path)}</figcaption>
          <div
            role="group"
            aria-label={`What differs in ${difference.path}`}
            tabIndex={0}
            className="bg-shade border-line max-h-80 overflow-auto rounded-sm border py-1.5 font-mono text-xs leading-5"
          >
            {fieldLines(difference).map((line, index) => (
              <DiffLineView key={index} {...line} />
            ))}
          </div>
        </figure>
      ))}
      {drift.beyond.length > 0 && (
        <div>
          <p>It also has what no agent of ours has:</p>
          <ul className="list-disc ps-5">
            {drift.beyond.map((path) => (
              <li key={path} className="font-mono text-xs leading-6 wrap-anywhere">
                {visibleText(path)}
              </li>
            ))}
          </ul>
        </div>
      )}
    </li>
  )
}
