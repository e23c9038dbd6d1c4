import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import {
  CONVERSATIONS,
  type Namespace,
  NamespaceName,
  type PublishPreview,
  type ReflectionId,
  formatReadAccess,
} from '@parley/contracts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'
import { Intro, Section, Rows } from '../../ui/page-body.tsx'
import { ConfirmForm } from '../../ui/confirm-form.tsx'
import { useDisclosure } from '../../ui/use-disclosure.ts'
import { escapeInvisible } from '../../ui/escape-invisible.ts'
import { useOpenReflection } from '../open-reflection.ts'
import { useReflectionQuery, useSummary } from '../use-reflection-query.ts'
import { useReflectionChange } from '../use-reflections.ts'
import { SourceLink } from '../source-link.tsx'
import { ChangedPreview, PublishPreviewView } from './publish-preview.tsx'
import { Form } from '../../ui/form.tsx'
import { pluralize } from '../../ui/format.ts'
import { hasErrorCode } from '../../ui/error-message.ts'

export function FolderSection() {
  const { reflection, rights } = useOpenReflection()
  return (
    <Section title="Folders">
      <Intro>
        Every source is in one folder. Anyone who talks with this reflection can hear the content of a public
        folder; private folders are for members.
        {!rights.mayManage &&
          ` You ${formatReadAccess(reflection.reads ?? 'all', reflection.namespaces, 'folder')}.`}
      </Intro>
      <Rows aria-label="Folders">
        {reflection.namespaces.map((namespace) => (
          <FolderRow key={namespace.name} namespace={namespace} />
        ))}
      </Rows>
      {rights.mayManage && <AddFolderForm reflectionId={reflection.id} />}
    </Section>
  )
}

function FolderRow({ namespace }: { namespace: Namespace }) {
  const { name, isPublished } = namespace
  const { rights } = useOpenReflection()
  const question = useDisclosure()
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
            {name === CONVERSATIONS && 'Transcripts of conversations. It cannot be published. '}
            <FolderSize name={name} />
          </span>
        </p>
        {mayAsk && (
          <Button aria-label={`${isPublished ? 'Unpublish' : 'Publish'} ${name}`} {...question.button}>
            {isPublished ? 'Unpublish' : 'Publish'}
          </Button>
        )}
      </div>
      {question.isOpen && <PublishForm namespace={namespace} onClose={question.close} />}
    </li>
  )
}

function FolderSize({ name }: { name: string }) {
  const { id: reflectionId } = useOpenReflection().reflection
  const counts = useSummary().data?.namespaces.find((each) => each.name === name)
  if (!counts) return '\u00a0'
  const { sources, facts } = counts
  return (
    <>
      {pluralize(sources, 'source')},{' '}
      <Link
        to="/reflections/$reflectionId/facts"
        params={{ reflectionId }}
        search={{ namespace: name }}
        className="decoration-edge underline underline-offset-2"
      >
        {pluralize(facts, 'fact')}
      </Link>
    </>
  )
}

function AddFolderForm({ reflectionId }: { reflectionId: ReflectionId }) {
  const [name, setName] = useState('')
  const isName = NamespaceName.safeParse(name).success
  const add = useReflectionChange(reflectionId, (reflections) =>
    reflections.addNamespace({ reflectionId, name }),
  )
  const isDisabled = !isName || add.isPending
  return (
    <Form
      className="flex max-w-md flex-col gap-3"
      isDisabled={isDisabled}
      onSubmit={() => add.mutate(undefined, { onSuccess: () => setName('') })}
    >
      <div className="flex items-end gap-2">
        <div className="min-w-0 flex-1">
          <TextField
            label="New folder"
            placeholder="travel"
            spellCheck={false}
            autoCapitalize="none"
            maxLength={64}
            value={name}
            onChange={(event) => setName(event.target.value.toLowerCase().replaceAll(' ', '-'))}
          />
        </div>
        <Button type="submit" aria-disabled={isDisabled}>
          Add
        </Button>
      </div>
      {name !== '' && !isName && (
        <p className="text-soft text-sm">
          Use lower-case letters and digits, with single hyphens between them.
        </p>
      )}
      <ErrorNotice error={add.error} />
    </Form>
  )
}

/** Others may add sources while somebody decides. */
const REFRESH_MS = 2_000

/** Shows exactly what becomes public or private, and then does exactly that. */
function PublishForm({ namespace, onClose }: { namespace: Namespace; onClose: () => void }) {
  const { name } = namespace
  // The state when the question opened, so that the question does not flip once the change is done.
  const [isPublished] = useState(namespace.isPublished)
  const { id: reflectionId } = useOpenReflection().reflection
  const preview = useReflectionQuery(
    ['publish-preview', name, isPublished],
    (reflections) => reflections.previewPublish({ reflectionId, namespaces: [name], publish: !isPublished }),
    { gcTime: 0, refetchInterval: REFRESH_MS },
  )
  const { data: latest, error, refetch } = preview
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
    <ConfirmForm
      label={isPublished ? `Unpublish ${name}` : `Publish ${name}`}
      yes={isPublished ? 'Make it private' : 'Make it public'}
      no={isPublished ? 'Keep it public' : 'Keep it private'}
      variant={isPublished ? 'danger' : 'primary'}
      isReady={isPublished || (shown !== undefined && !isChanged && !error)}
      action={{ ...change, mutate: decide, error: wasRefused && isChanged ? null : change.error }}
      onClose={onClose}
      after={
        <>
          <ErrorNotice error={error} retry={refetch} />
          {isChanged && (
            <ChangedPreview shown={shown} latest={latest} wasRefused={wasRefused} onReload={reload} />
          )}
        </>
      }
    >
      {shown && <PublishedSources sources={shown.sources} name={name} isPublished={isPublished} />}
      {shown && <PublishPreviewView preview={shown} publish={!isPublished} />}
    </ConfirmForm>
  )
}

const isOutdated = (failure: unknown): boolean => hasErrorCode(failure, 'preview_outdated')

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
                {escapeInvisible(title)}
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
  return `Anyone who talks with this reflection can then hear anything from ${these}, word for word:`
}
