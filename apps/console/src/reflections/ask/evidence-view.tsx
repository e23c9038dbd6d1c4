import type { EvidenceItem } from '@parley/contracts'
import { withoutMarks } from '../../markdown/without-marks.ts'
import { visibleText } from '../../ui/visible-text.ts'
import { useOpenReflection } from '../open-reflection.ts'
import { SourceLink } from '../source-link.tsx'
import { PlaceView } from '../source-name.tsx'

const KINDS: Record<EvidenceItem['kind'], string> = { chunk: 'chunk', fact: 'fact' }

export function EvidenceView({ item }: { item: EvidenceItem }) {
  const { reflection } = useOpenReflection()
  const { kind, text, namespace, source, place, score } = item
  return (
    <li className="flex flex-col gap-1.5 py-3.5">
      <p className="text-sm leading-6 wrap-anywhere">
        <span className="font-medium">
          <SourceLink reflectionId={reflection.id} sourceId={source.id} words={kind === 'chunk' ? text : ''}>
            {visibleText(source.title)}
          </SourceLink>
        </span>
        <PlaceView place={place} />
        <span className="text-soft">
          {' · '}
          {KINDS[kind]} · <span className="font-mono">{namespace}</span> · score {score.toFixed(4)}
        </span>
      </p>
      <p className="text-sm leading-6 wrap-anywhere whitespace-pre-wrap">{visibleText(withoutMarks(text))}</p>
    </li>
  )
}
