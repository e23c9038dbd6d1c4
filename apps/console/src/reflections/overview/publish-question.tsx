import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type Namespace, PlatformError, type PublishPreview } from '@parley/contracts'
import { useConsoleHost } from '../../app/console-host.ts'
import { Button } from '../../ui/button.tsx'
import { messageOf } from '../../ui/message-of.ts'
import { Notice } from '../../ui/notice.tsx'
import { Question } from '../../ui/question.tsx'
import { visibleText } from '../../ui/visible-text.ts'
import { useOpenReflection } from '../open-reflection.ts'
import { reflectionKey } from '../reflection-keys.ts'
import { SourceLink } from '../source-link.tsx'
import { useReflectionChange } from '../use-reflections.ts'
import { ChangedPreview, PublishPreviewView } from './publish-preview.tsx'

interface PublishQuestionProps {
  readonly namespace: Namespace
  readonly onClose: () => void
}

/** Others add to it while somebody decides. */
const REFRESH_MS = 2_000

/** Says exactly what becomes public, or is so no more, before that is done; and nothing else is done. */
export function PublishQuestion({ namespace, onClose }: PublishQuestionProps) {
  const { name } = namespace
  // What it was when it was asked, so that the question does not turn around once it is done.
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
  // What is read is kept still. To publish, that is done; to take back nobody has to keep up with what is learned.
  const [looked, setLooked] = useState<PublishPreview>()
  if (!looked && latest) setLooked(latest)
  const change = useReflectionChange(reflectionId, (reflections, seen: PublishPreview | undefined) =>
    isPublished
      ? reflections.unpublish({ reflectionId, namespaces: [name] })
      : reflections.publish({ reflectionId, namespaces: [name], previewHash: seen?.previewHash ?? '' }),
  )
  const isChanged =
    !isPublished &&
    looked &&
    latest &&
    looked.previewHash !== latest.previewHash &&
    !change.isPending &&
    !change.isSuccess
  const wasRefused = isOutdated(change.error)
  const decide = () =>
    change.mutate(looked, {
      onSuccess: onClose,
      onError: (failure) => isOutdated(failure) && void refetch(),
    })
  const lookAgain = () => {
    change.reset()
    setLooked(latest)
  }
  // Answers that stand below what is still to come would move as it comes.
  if (!looked && !error) return <p className="text-soft text-sm">Looking up what is in it…</p>
  return (
    <Question
      label={isPublished ? `Unpublish ${name}` : `Publish ${name}`}
      yes={isPublished ? 'Make it private' : 'Make it public'}
      no={isPublished ? 'Keep it public' : 'Keep it private'}
      look={isPublished ? 'alarm' : 'main'}
      mayYes={isPublished || (looked !== undefined && !isChanged && !error)}
      doing={{ ...change, mutate: decide, error: wasRefused && isChanged ? null : change.error }}
      onClose={onClose}
      after={
        <>
          {error && (
            <Notice action={<Button onClick={() => void refetch()}>Try again</Button>}>
              {messageOf(error)}
            </Notice>
          )}
          {isChanged && (
            <ChangedPreview looked={looked} latest={latest} wasRefused={wasRefused} onLook={lookAgain} />
          )}
        </>
      }
    >
      {looked && <PublishedSources sources={looked.sources} name={name} isPublished={isPublished} />}
      {looked && <PublishPreviewView preview={looked} publish={!isPublished} />}
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

/** So many lines are in sight at once. */
const FITS = 9

/** The sources that become public, or are so no more, one by one. */
function PublishedSources({ sources, name, isPublished }: PublishedSourcesProps) {
  const { id: reflectionId } = useOpenReflection().reflection
  return (
    <>
      <p className="max-w-prose">{publishInWords({ name, isPublished, count: sources.length })}</p>
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
      {sources.length > FITS && (
        <p className="text-soft">The list scrolls: it has {sources.length} sources.</p>
      )}
      {!isPublished && (
        <p className="max-w-prose">What is added to {name} later is public too, as soon as it is learned.</p>
      )}
    </>
  )
}

interface Publishing {
  readonly name: string
  readonly isPublished: boolean
  readonly count: number
}

/** What publishing or unpublishing a namespace does to the sources in it, before they are named one by one. */
export function publishInWords({ name, isPublished, count }: Publishing): string {
  const these = count === 1 ? 'this source' : `these ${count} sources`
  if (count === 0) return `There is no source in ${name} yet.`
  if (isPublished) return `From the next question on, the public finds nothing more of ${these}:`
  return `Anybody who talks with this reflection may then be told what stands in ${these}, word for word:`
}
