import { Link } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { CONVERSATIONS, AddSource as Limits, type Source } from '@parley/contracts'
import { formatAge, formatSize, formatTime } from '../../ui/format.ts'
import { Button } from '../../ui/button.tsx'
import { TextArea } from '../../ui/field.tsx'
import { ConfirmButton } from '../../ui/confirm-form.tsx'
import { useDisclosure } from '../../ui/use-disclosure.ts'
import { escapeInvisible } from '../../ui/escape-invisible.ts'
import { useOpenReflection } from '../open-reflection.ts'
import { SourceLink } from '../source-link.tsx'
import { useReflectionChange } from '../use-reflections.ts'
import { fileToSource, findFileProblem } from './use-source-input.ts'
import { type SourceStatus, getSourceStatus } from './source-status.ts'
import { Form, FormButtons } from '../../ui/form.tsx'

const STATUS_CLASSES: Record<SourceStatus['kind'], string> = {
  busy: 'text-accent',
  done: 'text-soft',
  wrong: 'text-alarm',
}

interface SourceListItemProps {
  readonly source: Source
  readonly now: number
  readonly onRemoved?: () => void
}

export function SourceListItem({ source, now, onRemoved }: SourceListItemProps) {
  const { title, namespace, bytes, addedAt, state, problem } = source
  const status = getSourceStatus(source)
  const { reflection, rights } = useOpenReflection()
  const replacing = useDisclosure()
  const mayRemove = rights.mayTeach && state !== 'removing'
  const mayReplace = mayRemove && namespace !== CONVERSATIONS
  return (
    <li data-state={state} className="flex flex-col gap-2 py-3 text-sm leading-6">
      <div className="flex flex-wrap items-start gap-x-3">
        <div className="min-w-0 flex-1">
          <p className="font-medium wrap-anywhere">
            <SourceLink reflectionId={reflection.id} sourceId={source.id}>
              {escapeInvisible(title)}
            </SourceLink>
          </p>
          <p className="text-soft wrap-anywhere">
            <span className="font-mono">{namespace}</span> · {formatSize(bytes)} ·{' '}
            <time dateTime={addedAt} title={formatTime(addedAt)}>
              {formatAge(addedAt, now)}
            </time>
          </p>
        </div>
        {mayReplace && (
          <Button variant="ghost" aria-label={`Replace ${title}`} {...replacing.button}>
            Replace
          </Button>
        )}
        {mayRemove && <RemoveButton source={source} onRemoved={onRemoved} />}
      </div>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <p className={STATUS_CLASSES[status.kind]}>{status.label}</p>
        {status.phases && <PhaseBar title={title} phases={status.phases} />}
        {mayReplace && state === 'failed' && <TryAgain source={source} onMissing={replacing.open} />}
        <WaitingFacts source={source} />
      </div>
      {problem && status.kind === 'wrong' && (
        <p className="border-alarm text-alarm border-s-2 ps-3 wrap-anywhere">{problem}</p>
      )}
      {problem && state === 'duplicate_skipped' && (
        <p className="border-line border-s-2 ps-3 wrap-anywhere">{problem}</p>
      )}
      {replacing.isOpen && mayReplace && <ReplaceSource source={source} onClose={replacing.close} />}
    </li>
  )
}

/** Uploads the same content again. Content from before this page was opened must be chosen again. */
function TryAgain({ source, onMissing }: { source: Source; onMissing: () => void }) {
  const { uploads } = useOpenReflection()
  const sent = uploads.sent.get(source.id)
  return (
    <Button
      aria-label={`Try ${source.title} again`}
      onClick={() => (sent ? uploads.add(sent, source.id) : onMissing())}
    >
      Try again
    </Button>
  )
}

function WaitingFacts({ source }: { source: Source }) {
  const { reflection, waiting } = useOpenReflection()
  if (!waiting.items?.some(({ sourceId }) => sourceId === source.id)) return null
  return (
    <Link
      to="/reflections/$reflectionId/patches"
      params={{ reflectionId: reflection.id }}
      className="text-accent underline underline-offset-2"
    >
      Facts waiting for approval
    </Link>
  )
}

interface RemoveButtonProps {
  readonly source: Source
  readonly onRemoved: (() => void) | undefined
}

function RemoveButton({ source, onRemoved }: RemoveButtonProps) {
  const { reflection } = useOpenReflection()
  const remove = useReflectionChange(reflection.id, async (reflections) => {
    await reflections.removeSource({ reflectionId: reflection.id, sourceId: source.id })
    onRemoved?.()
  })
  return (
    <ConfirmButton
      label={`Remove ${source.title}`}
      text="Remove"
      button={{ variant: 'ghost' }}
      yes="Remove permanently"
      action={remove}
    >
      <p>Remove this source? Its text, passages and facts are deleted too.</p>
    </ConfirmButton>
  )
}

function PhaseBar({ title, phases }: { title: string; phases: NonNullable<SourceStatus['phases']> }) {
  return (
    <ol aria-label={`Phases of ${title}`} className="flex w-full max-w-md gap-1">
      {phases.map(({ name, done }) => (
        <li key={name} className="flex min-w-0 flex-1 flex-col gap-0.5">
          <progress aria-label={name} className="w-full" value={done} />
          <span
            aria-hidden="true"
            className={`truncate text-xs leading-4 max-sm:hidden ${done > 0 ? 'text-ink' : 'text-soft'}`}
          >
            {name}
          </span>
        </li>
      ))}
    </ol>
  )
}

/** Uploads a new version of a source, as a file or as text. Its title and folder stay. */
function ReplaceSource({ source, onClose }: { source: Source; onClose: () => void }) {
  const { uploads } = useOpenReflection()
  const { id, title, namespace } = source
  const [text, setText] = useState('')
  const picker = useRef<HTMLInputElement>(null)
  const replaceWithFile = (file: File) => {
    const newVersion = { ...fileToSource(file, namespace), title }
    const problem = findFileProblem(file)
    if (problem === undefined) uploads.add(newVersion, id)
    else uploads.refuse(newVersion, problem)
    onClose()
  }
  const replaceWithText = () => {
    uploads.add({ title, namespace, text }, id)
    onClose()
  }
  return (
    <Form
      aria-label={`Replace ${title}`}
      className="border-line flex flex-col gap-4 rounded-md border p-4"
      isDisabled={text.trim() === ''}
      onSubmit={replaceWithText}
      onCancel={onClose}
    >
      <p>Facts from the new version replace those from the old one. The old facts are kept as past facts.</p>
      <input
        ref={picker}
        type="file"
        hidden
        data-new-version
        onChange={(event) => {
          const [file] = event.target.files ?? []
          if (file) replaceWithFile(file)
        }}
      />
      <Button className="self-start" autoFocus onClick={() => picker.current?.click()}>
        Choose file
      </Button>
      <TextArea
        label="Or paste the text"
        rows={6}
        maxLength={Limits.shape.text.maxLength ?? undefined}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <FormButtons disabled={text.trim() === ''} onCancel={onClose}>
        Replace with this text
      </FormButtons>
    </Form>
  )
}
