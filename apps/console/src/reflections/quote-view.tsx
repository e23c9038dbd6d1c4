import type { Evidence } from '@parley/contracts'
import { withoutMarks } from '../markdown/without-marks.ts'
import { visibleText } from '../ui/visible-text.ts'
import { PlaceView, SourceName } from './source-name.tsx'

/** The words that bear a fact out, and where they stand. */
export function QuoteView({ evidence: { quote, sourceId, place } }: { evidence: Evidence }) {
  return (
    <figure className="text-soft text-sm leading-6">
      <blockquote className="border-line border-s-2 ps-3 wrap-anywhere whitespace-pre-wrap">
        “{visibleText(withoutMarks(quote))}”
      </blockquote>
      <figcaption className="ps-3.5 wrap-anywhere">
        <SourceName sourceId={sourceId} words={quote} />
        <PlaceView place={place} />
      </figcaption>
    </figure>
  )
}
