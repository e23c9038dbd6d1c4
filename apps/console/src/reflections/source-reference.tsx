import { useQuery } from '@tanstack/react-query'
import { type Evidence, type Place, PlatformError, type SourceId } from '@parley/contracts'
import { useConsoleHost } from '../app/console-host.ts'
import { withoutMarks } from '../markdown/without-marks.ts'
import { visibleText } from '../ui/visible-text.ts'
import { useOpenReflection } from './open-reflection.ts'
import { placeInWords } from './place-in-words.ts'
import { reflectionKey } from './reflection-keys.ts'
import { SourceLink } from './source-link.tsx'

const LASTS_MS = 60_000

/** The title of a source that is known by its id only, and the way to it. What a person corrected is a source too, which is on no list. */
export function SourceName({ sourceId, words = '' }: { sourceId: SourceId; words?: string }) {
  const { client } = useConsoleHost()
  const { id: reflectionId } = useOpenReflection().reflection
  const { data, error } = useQuery({
    queryKey: [...reflectionKey(reflectionId), 'source', sourceId],
    queryFn: () => client.reflections.source({ reflectionId, sourceId }),
    staleTime: LASTS_MS,
    retry: false,
  })
  if (error instanceof PlatformError && error.code === 'source_not_found') return <>A correction</>
  if (error) return <span className="font-mono">{sourceId}</span>
  if (!data) return <>…</>
  return (
    <SourceLink reflectionId={reflectionId} sourceId={sourceId} words={words}>
      {visibleText(data.title)}
    </SourceLink>
  )
}

export function PlaceView({ place }: { place: Place }) {
  const words = placeInWords(place)
  return words === '' ? null : <>, {visibleText(words)}</>
}

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
