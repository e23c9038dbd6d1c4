import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type Namespace, PlatformError, type PublishPreview } from '@parley/contracts'
import { useConsoleHost } from '../../app/console-host.ts'
import { Question } from '../../ui/question.tsx'
import { visibleText } from '../../ui/visible-text.ts'
import { useOpenReflection } from '../open-reflection.ts'
import { LoadError } from '../query-state.tsx'
import { reflectionKey } from '../reflection-keys.ts'
import { SourceLink } from '../source-link.tsx'
import { useReflectionChange } from '../use-reflections.ts'
import { ChangedPreview, PublishPreviewView } from './publish-preview.tsx'

interface PublishQuestionProps {
  readonly namespace: Namespace
  readonly onClose: () => void
}

/** Others may add sources while somebody decides. */
const REFRESH_MS = 2_000

/** Shows exactly what becomes public or private, and then does exactly that. */
export function PublishQuestion({ namespace, onClose }: PublishQuestionProps) {
  const { name } = namespace
  // The state when the question opened, so that the question does not flip once the change is done.
  const [isPublished] = useState(namespace.isPublished)
  const { client } = useConsoleHost()
  const { id: reflectionId } = useOpenReflection().reflection
  const {
    data: latest,
    error,
    refetch,
  } = useQuery({
    queryKey: [...reflectionKey(reflectionId), 'publish-preview', name, isPublished],
    queryFn: () =>
      client.reflections.previewPublish({ reflectionId, namespaces: [name], publish: !isPublished }),
    gcTime: 0,
    refetchInterval: REFRESH_MS,
  })
  // The preview stays as it was first shown. Publishing sends its hash; unpublishing needs no current preview.
  const [shown, setShown] = useState<PublishPreview>()
  if (!shown && latest) setShown(latest)
  const change = useReflectionChange(reflectionId, (reflections, seen: PublishPreview | undefined) =>
    isPublished
      ? reflections.unpublish({ reflectionId, namespaces: [name] })
      : reflections.publish({ reflectionId, namespaces: [name], previewHash: seen?.previewHash ?? '' }),
  )
  const isChanged =
    !isPublished &&
    shown &&
    latest &&
    shown.previewHash !== latest.previewHash &&
    !change.isPending &&
    !change.isSuccess
  const wasRefused = isOutdated(change.error)
  const decide = () =>
    change.mutate(shown, {
      onSuccess: onClose,
      onError: (failure) => isOutdated(failure) && void refetch(),
    })
  const reload = () => {
    change.reset()
    setShown(latest)
  }
  // Not before the preview is loaded: the buttons below it would move.
  if (!shown && !error) return <p className="text-soft text-sm">Loading the preview…</p>
  return (
    <Question
      label={isPublished ? `Unpublish ${name}` : `Publish ${name}`}
      yes={isPublished ? 'Make it private' : 'Make it public'}
      no={isPublished ? 'Keep it public' : 'Keep it private'}
      look={isPublished ? 'alarm' : 'main'}
      mayYes={isPublished || (shown !== undefined && !isChanged && !error)}
      doing={{ ...change, mutate: decide, error: wasRefused && isChanged ? null : change.error }}
      onClose={onClose}
      after={
        <>
          {error && <LoadError error={error} retry={refetch} />}
          {isChanged && (
            <ChangedPreview shown={shown} latest={latest} wasRefused={wasRefused} onReload={reload} />
          )}
        </>
      }
    >
      {shown && <PublishedSources sources={shown.sources} name={name} isPublished={isPublished} />}
      {shown && <PublishPreviewView preview={shown} publish={!isPublished} />}
    </Question>
  )
}

const isOutdated = (failure: unknown): boolean =>
  failure instanceof PlatformError && failure.code === 'preview_outdated'

interface PublishedSourcesProps {
  readonly sources: PublishPreview['sources']
  readonly name: string
  readonly isPublished: boolean
}

/** The lines that fit in the list without scrolling. */
const VISIBLE_LINES = 9

/** The sources that become public or private. */
function PublishedSources({ sources, name, isPublished }: PublishedSourcesProps) {
  const { id: reflectionId } = useOpenReflection().reflection
  return (
    <>
      <p className="max-w-prose">{describePublishing({ name, isPublished, count: sources.length })}</p>
      {sources.length > 0 && (
        <ul
          aria-label={`Sources in ${name}`}
          tabIndex={0}
          className="border-line max-h-60 list-disc overflow-y-scroll rounded-md border py-1 ps-7"
        >
          {sources.map(({ id, title }) => (
            <li key={id} className="wrap-anywhere">
              <SourceLink reflectionId={reflectionId} sourceId={id} isBeside>
                {visibleText(title)}
              </SourceLink>
            </li>
          ))}
        </ul>
      )}
      {sources.length > VISIBLE_LINES && (
        <p className="text-soft">Scroll to see all {sources.length} sources.</p>
      )}
      {!isPublished && (
        <p className="max-w-prose">
          Sources added to {name} later become public too, once they are imported.
        </p>
      )}
    </>
  )
}

interface Publishing {
  readonly name: string
  readonly isPublished: boolean
  readonly count: number
}

/** The effect of publishing or unpublishing on the sources in a folder, above their list. */
export function describePublishing({ name, isPublished, count }: Publishing): string {
  const these = count === 1 ? 'this source' : `these ${count} sources`
  if (count === 0) return `${name} has no sources yet.`
  if (isPublished) return `From the next question on, visitors get no answers from ${these}:`
  return `Anyone who talks with this reflection can then be told anything from ${these}, word for word:`
}
