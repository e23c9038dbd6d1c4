import { type Evidence, type Place, type SourceId } from '@parley/contracts'
import { stripMarkdown } from '../markdown/strip-markdown.ts'
import { escapeInvisible } from '../ui/escape-invisible.ts'
import { useOpenReflection } from './open-reflection.ts'
import { formatSourcePlace } from './format.ts'
import { useReflectionQuery } from './use-reflection-query.ts'
import { SourceLink } from './source-link.tsx'
import { hasErrorCode } from '../ui/error-message.ts'

const STALE_MS = 60_000

/** The linked title of a source, looked up by its id. A correction is stored as a source too, but is in no list. */
export function SourceName({ sourceId, words = '' }: { sourceId: SourceId; words?: string }) {
  const { id } = useOpenReflection().reflection
  const { data, error } = useReflectionQuery(
    ['source', sourceId],
    (reflections, reflectionId) => reflections.source({ reflectionId, sourceId }),
    { staleTime: STALE_MS, retry: false },
  )
  if (hasErrorCode(error, 'source_not_found')) return <>Correction</>
  if (error) return <span className="font-mono">{sourceId}</span>
  if (!data) return <>…</>
  return (
    <SourceLink reflectionId={id} sourceId={sourceId} words={words}>
      {escapeInvisible(data.title)}
    </SourceLink>
  )
}

export function PlaceView({ place }: { place: Place }) {
  const text = formatSourcePlace(place)
  return text === '' ? null : <>, {escapeInvisible(text)}</>
}

/** The quote that supports a fact, with its source and position. */
export function QuoteView({ evidence: { quote, sourceId, place } }: { evidence: Evidence }) {
  return (
    <figure className="text-soft text-sm leading-6">
      <blockquote className="border-line border-s-2 ps-3 wrap-anywhere whitespace-pre-wrap">
        “{escapeInvisible(stripMarkdown(quote))}”
      </blockquote>
      <figcaption className="ps-3.5 wrap-anywhere">
        <SourceName sourceId={sourceId} words={quote} />
        <PlaceView place={place} />
      </figcaption>
    </figure>
  )
}
