import { type Namespace, PlatformError, type PublishPreview } from '@parley/contracts'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useConsoleHost } from '../../app/console-host.ts'
import { Button } from '../../ui/button.tsx'
import { messageOf } from '../../ui/message-of.ts'
import { Notice } from '../../ui/notice.tsx'
import { Question } from '../../ui/question.tsx'
import { useOpenReflection } from '../open-reflection.ts'
import { reflectionKey } from '../reflection-keys.ts'
import { useReflectionChange } from '../use-reflection.ts'
import { ChangedPreview } from './changed-preview.tsx'
import { PublishedSources } from './published-sources.tsx'
import { PublishPreviewView } from './publish-preview-view.tsx'

interface PublishQuestionProps {
  readonly namespace: Namespace
  readonly onClose: () => void
}

/** Others add to it while somebody decides. */
const LOOK_AGAIN_MS = 2_000

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
    refetchInterval: LOOK_AGAIN_MS,
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
