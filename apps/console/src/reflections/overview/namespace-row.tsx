import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { CONVERSATIONS, type Namespace, PlatformError, type PublishPreview } from '@parley/contracts'
import { useConsoleHost } from '../../app/console-host.ts'
import { Button } from '../../ui/button.tsx'
import { DiffLineView } from '../../ui/diff-line-view.tsx'
import { messageOf } from '../../ui/message-of.ts'
import { Notice } from '../../ui/notice.tsx'
import { Question } from '../../ui/question.tsx'
import { useOpener } from '../../ui/use-opener.ts'
import { visibleText } from '../../ui/visible-text.ts'
import { useOpenReflection } from '../open-reflection.ts'
import { reflectionKey } from '../reflection-keys.ts'
import { SourceLink } from '../source-link.tsx'
import { useReflectionChange } from '../use-reflection.ts'
import { ChangedPreview } from './changed-preview.tsx'
import { useSummary } from './use-summary.ts'

export function NamespaceRow({ namespace }: { namespace: Namespace }) {
  const { name, isPublished } = namespace
  const { rights } = useOpenReflection()
  const asking = useOpener()
  const mayAsk = rights.mayManage && name !== CONVERSATIONS
  return (
    <li className="flex flex-col gap-3 py-2.5">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <p className="min-w-0 flex-1 text-sm leading-6 wrap-anywhere">
          <span className="font-mono">{name}</span>{' '}
          <span className={isPublished ? 'text-accent font-medium' : 'text-soft'}>
            {isPublished ? 'public' : 'private'}
          </span>
          <span className="text-soft block">
            {name === CONVERSATIONS && 'Holds what people said in sessions. It cannot be published. '}
            <Held name={name} />
          </span>
        </p>
        {mayAsk && (
          <Button aria-label={`${isPublished ? 'Unpublish' : 'Publish'} ${name}`} {...asking.opener}>
            {isPublished ? 'Unpublish' : 'Publish'}
          </Button>
        )}
      </div>
      {asking.isOpen && <PublishQuestion namespace={namespace} onClose={asking.close} />}
    </li>
  )
}

/** How much a namespace holds, and the way to its facts. */
function Held({ name }: { name: string }) {
  const { id: reflectionId } = useOpenReflection().reflection
  const held = useSummary().data?.namespaces.find((each) => each.name === name)
  if (!held) return '\u00a0'
  const { sources, facts } = held
  return (
    <>
      {sources === 1 ? '1 source' : `${sources} sources`},{' '}
      <Link
        to="/reflections/$reflectionId/facts"
        params={{ reflectionId }}
        search={{ namespace: name }}
        className="decoration-edge underline underline-offset-2"
      >
        {facts === 1 ? '1 fact' : `${facts} facts`}
      </Link>
    </>
  )
}

interface PublishQuestionProps {
  readonly namespace: Namespace
  readonly onClose: () => void
}

/** Others add to it while somebody decides. */
const LOOK_AGAIN_MS = 2_000

/** Says exactly what becomes public, or is so no more, before that is done; and nothing else is done. */
function PublishQuestion({ namespace, onClose }: PublishQuestionProps) {
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

interface PublishPreviewProps {
  readonly preview: PublishPreview
  readonly publish: boolean
}

/** What the public agent would hold, line by line, and whom the change touches. */
function PublishPreviewView({ preview, publish }: PublishPreviewProps) {
  const { dossier, firstMessage, prompt, refused } = preview
  return (
    <>
      <p className="max-w-prose">{dossierInWords(preview, publish)}</p>
      {dossier.added.length + dossier.removed.length > 0 && (
        <ul
          aria-label="What the public agent knows by heart"
          tabIndex={0}
          className="border-line max-h-72 overflow-y-auto rounded-md border py-1"
        >
          {dossier.removed.map((line) => (
            <li key={line}>
              <DiffLineView kind="removed" text={line} />
            </li>
          ))}
          {dossier.added.map((line) => (
            <li key={line}>
              <DiffLineView kind="added" text={line} />
            </li>
          ))}
        </ul>
      )}
      <details>
        <summary className="text-soft hover:text-ink w-fit py-1">All that it is told, word for word</summary>
        <p className="pt-1">
          It greets with: <q>{visibleText(firstMessage)}</q>
        </p>
        <pre
          tabIndex={0}
          className="border-line bg-shade mt-2 max-h-96 overflow-auto rounded-md border p-3 font-mono text-xs leading-5 wrap-anywhere whitespace-pre-wrap"
        >
          {visibleText(prompt)}
        </pre>
      </details>
      <p className="max-w-prose">{touchedInWords(preview, publish)}</p>
      {refused.length > 0 && (
        <Notice>
          The rules would not let it serve: {refused.join('; ')}. Until they do, visitors are not let in.
        </Notice>
      )}
    </>
  )
}

/** What changes of what the public agent knows by heart. */
export function dossierInWords(
  { dossier, facts }: Pick<PublishPreview, 'dossier' | 'facts'>,
  publish: boolean,
): string {
  const { added, removed, kept } = dossier
  const counted = `${facts} ${facts === 1 ? 'fact' : 'facts'}`
  const looked = publish ? `${counted} can be looked up then.` : `${counted} can no longer be looked up.`
  const found = facts === 0 ? 'No fact counts in it.' : looked
  if (added.length + removed.length === 0)
    return `${found} What the public agent knows by heart stays as it is.`
  const changes = [
    added.length > 0 && `gains ${lines(added.length)}`,
    removed.length > 0 && `loses ${lines(removed.length)}`,
  ]
  return `${found} What it knows by heart ${changes.filter(Boolean).join(' and ')}, and keeps ${kept.length}:`
}

const lines = (count: number) => (count === 1 ? '1 line' : `${count} lines`)

/** Whom it touches: those who come by links, and those who are there now. */
export function touchedInWords(
  { links, visitors }: Pick<PublishPreview, 'links' | 'visitors'>,
  publish: boolean,
): string {
  const reach =
    links === 1 ? '1 share link reaches it.' : `${links === 0 ? 'No' : links} share links reach it.`
  if (visitors === 0) return `${reach} No visitor is talking now.`
  const who = visitors === 1 ? '1 visitor' : `${visitors} visitors`
  const then = publish
    ? 'what they are told stays as it was when they began'
    : 'what is typed ends at once, a call says goodbye at its next question, and the link can be opened again'
  return `${reach} ${who} may be talking now: ${then}.`
}
