import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { AddSource as Limits, type Source } from '@parley/contracts'
import { useConsoleHost } from '../../app/console-host.ts'
import { Button } from '../../ui/button.tsx'
import { Choice, TextArea, TextField } from '../../ui/field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { PageBody } from '../../ui/page-body.tsx'
import { PageList } from '../../ui/page-list.tsx'
import { usePages } from '../../ui/use-pages.ts'
import { visibleText } from '../../ui/visible-text.ts'
import { useOpenReflection } from '../open-reflection.ts'
import { reflectionKey } from '../reflection-keys.ts'
import { writableNamespaces } from './use-source-input.ts'
import { SourceRow } from './source-row.tsx'
import { announcementOf, sourceStanding } from './source-status.ts'
import type { Upload, Uploads } from './uploads.ts'

const REFRESH_MS = { busy: 700, idle: 10_000 } as const

const lookAgainMs = (sources: readonly Source[]) =>
  sources.some((source) => sourceStanding(source).kind === 'busy') ? REFRESH_MS.busy : REFRESH_MS.idle

export function SourcesPage() {
  const { client } = useConsoleHost()
  const { reflection, rights, uploads, waiting } = useOpenReflection()
  const pages = usePages({
    key: [...reflectionKey(reflection.id), 'sources', 'list'],
    read: (page) => client.reflections.sources({ reflectionId: reflection.id, ...page }),
    lookAgainMs,
  })
  // What was just learned may wait for a person.
  const learned = pages.items?.filter(({ state }) => state === 'completed').length
  const lookAtWaiting = useEffectEvent(waiting.again)
  useEffect(() => lookAtWaiting(), [learned])

  return (
    <PageBody>
      {rights.mayTeach && <AddSource />}
      {uploads.items.length > 0 && (
        <ul aria-label="On the way" className="flex flex-col gap-3">
          {uploads.items.map((upload) => (
            <UploadRow key={upload.id} upload={upload} uploads={uploads} />
          ))}
        </ul>
      )}
      <p role="status" className="sr-only">
        {announcementOf(pages.items ?? [])}
      </p>
      <PageList
        pages={pages}
        label="Sources"
        empty={<NoneYet mayTeach={rights.mayTeach} />}
        row={(source) => <SourceRow key={source.id} source={source} now={pages.readAt} />}
      />
    </PageBody>
  )
}

const NoneYet = ({ mayTeach }: { mayTeach: boolean }) => (
  <div className="flex max-w-prose flex-col gap-3 text-sm leading-6">
    <p className="font-serif text-xl">No sources yet</p>
    {mayTeach ? (
      <p>
        Add what the person wrote or said: text, Markdown, HTML, PDF, Word, subtitles, or an export of
        WhatsApp, Telegram, Slack, ChatGPT or Claude. Drop files anywhere, choose them, or paste a text.
      </p>
    ) : (
      <p>Sources are added by operators of this reflection.</p>
    )}
  </div>
)

function UploadRow({ upload, uploads }: { upload: Upload; uploads: Uploads }) {
  const title = visibleText(upload.source.title)
  if (upload.state === 'sending') {
    return (
      <li className="text-soft flex flex-wrap gap-x-3 text-sm">
        <span className="animate-breathe" aria-hidden="true">
          ●
        </span>
        <span className="min-w-0 wrap-anywhere">Sending {title}…</span>
      </li>
    )
  }
  const again = () => {
    uploads.dismiss(upload)
    uploads.add(upload.source, upload.sourceId)
  }
  return (
    <li>
      <Notice
        action={
          <span className="flex flex-wrap gap-2">
            {upload.state === 'failed' && <Button onClick={again}>Try again</Button>}
            <Button look="bare" onClick={() => uploads.dismiss(upload)}>
              Leave it
            </Button>
          </span>
        }
      >
        {title}: {upload.error}
      </Notice>
    </li>
  )
}

/** Where the next sources go, and the ways to give them. */
function AddSource() {
  const { reflection, giving } = useOpenReflection()
  const { namespaces } = reflection
  const { namespace, text } = giving
  const own = writableNamespaces(reflection)
  const picker = useRef<HTMLInputElement>(null)
  const pasteButton = useRef<HTMLButtonElement>(null)
  const isPasting = text !== undefined
  const close = () => {
    giving.setText(undefined)
    pasteButton.current?.focus()
  }
  if (own.length === 0) {
    return (
      <p className="text-sm">No namespace is open for you to add sources to. An admin can change that.</p>
    )
  }
  const isPublic = namespaces.some(({ name, isPublished }) => name === namespace && isPublished)
  return (
    <section aria-label="Add sources" className="flex flex-col gap-4">
      <div className="flex flex-wrap items-end gap-2">
        <div className="w-56 max-sm:w-full">
          <Choice
            label="Namespace"
            value={namespace}
            onChange={(event) => giving.setNamespace(event.target.value)}
          >
            {own.map(({ name, isPublished }) => (
              <option key={name} value={name}>
                {isPublished ? `${name} (public)` : name}
              </option>
            ))}
          </Choice>
        </div>
        <input
          ref={picker}
          type="file"
          multiple
          hidden
          data-source-files
          onChange={(event) => {
            giving.files([...(event.target.files ?? [])])
            event.target.value = ''
          }}
        />
        <Button look="main" onClick={() => picker.current?.click()}>
          Choose files
        </Button>
        <Button
          ref={pasteButton}
          aria-expanded={isPasting}
          onClick={() => (isPasting ? close() : giving.setText(''))}
        >
          Paste text
        </Button>
      </div>
      <p className="text-soft text-sm max-sm:hidden">
        Or drop files anywhere on a page of this reflection: they go to {namespace} too.
      </p>
      {isPublic && (
        <p className="text-sm">
          <strong className="font-semibold">{namespace} is public:</strong> what you add to it may be told to
          anybody.
        </p>
      )}
      {isPasting && <PasteForm onClose={close} />}
    </section>
  )
}

function PasteForm({ onClose }: { onClose: () => void }) {
  const { uploads, giving } = useOpenReflection()
  const { namespace, text = '', setText } = giving
  const [title, setTitle] = useState('')
  const isWhole = title.trim() !== '' && text.trim() !== ''
  const add = () => {
    if (!isWhole) return
    uploads.add({ title, namespace, text })
    onClose()
  }
  return (
    <form
      aria-label="Paste text"
      className="border-line flex flex-col gap-4 rounded-md border p-4"
      onSubmit={(event) => {
        event.preventDefault()
        add()
      }}
    >
      <TextField
        label="Title"
        required
        autoFocus
        maxLength={Limits.shape.title.maxLength ?? undefined}
        value={title}
        onChange={(event) => setTitle(event.target.value)}
      />
      <TextArea
        label="Text"
        required
        rows={8}
        maxLength={Limits.shape.text.maxLength ?? undefined}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <div className="flex gap-2">
        <Button type="submit" look="main" disabled={!isWhole}>
          Add to {namespace}
        </Button>
        <Button look="bare" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </form>
  )
}
