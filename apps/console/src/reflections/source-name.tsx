import { type Place, PlatformError, type SourceId } from '@parley/contracts'
import { useQuery } from '@tanstack/react-query'
import { useConsoleHost } from '../app/console-host.ts'
import { visibleText } from '../ui/visible-text.ts'
import { useOpenReflection } from './open-reflection.ts'
import { placeInWords } from './place-in-words.ts'
import { reflectionKey } from './reflection-keys.ts'

const LASTS_MS = 60_000

/** The title of a source that is known by its id only. What a person corrected is a source too, which is on no list. */
export function SourceName({ sourceId }: { sourceId: SourceId }) {
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
  return <>{data ? visibleText(data.title) : '…'}</>
}

export function PlaceView({ place }: { place: Place }) {
  const words = placeInWords(place)
  return words === '' ? null : <>, {visibleText(words)}</>
}
