import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { AddSource as Limits } from '@parley/contracts'
import { useConsoleHost } from '../../app/console-host.ts'
import { Button } from '../../ui/button.tsx'
import { Choice, TextArea, TextField } from '../../ui/field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { PageBody, EmptyState } from '../../ui/page-body.tsx'
import { PageList } from '../../ui/page-list.tsx'
import { usePages } from '../../ui/use-pages.ts'
import { escapeInvisible } from '../../ui/escape-invisible.ts'
import { useOpenReflection } from '../open-reflection.ts'
import { getReflectionKey } from '../use-reflections.ts'
import { listWritableNamespaces } from './use-source-input.ts'
import { SourceListItem } from './source-list-item.tsx'
import { describeProgress, getSourceStatus } from './source-status.ts'
import type { Upload, Uploads } from './uploads.ts'
import { Form, FormButtons } from '../../ui/form.tsx'

const REFRESH_MS = { busy: 700, idle: 10_000 } as const

export function SourcesPage() {
  const { client } = useConsoleHost()
  const { reflection, rights, uploads, waiting } = useOpenReflection()
  const pages = usePages({
    key: [...getReflectionKey(reflection.id), 'sources', 'list'],
    read: (page) => client.reflections.sources({ reflectionId: reflection.id, ...page }),
    pollMs: (sources) =>
      REFRESH_MS[sources.some((source) => getSourceStatus(source).kind === 'busy') ? 'busy' : 'idle'],
  })
  // A finished import may have added changes to review.
  const imported = pages.items?.filter(({ state }) => state === 'completed').length
  const reloadWaiting = useEffectEvent(waiting.retry)
  useEffect(() => reloadWaiting(), [imported])

  return (
    <PageBody>
      {rights.mayTeach && <AddSource />}
      {uploads.items.length > 0 && (
        <ul aria-label="Uploads" className="flex flex-col gap-3">
          {uploads.items.map((upload) => (
            <UploadRow key={upload.id} upload={upload} uploads={uploads} />
          ))}
        </ul>
      )}
      <p role="status" className="sr-only">
        {describeProgress(pages.items ?? [])}
      </p>
      <PageList
        pages={pages}
        label="Sources"
        empty={<NoSources mayTeach={rights.mayTeach} />}
        row={(source) => <SourceListItem key={source.id} source={source} now={pages.loadedAt} />}
      />
    </PageBody>
  )
}

const NoSources = ({ mayTeach }: { mayTeach: boolean }) => (
  <EmptyState title="No sources yet">
    {mayTeach ? (
      <p>
        Add texts by the person: plain text, Markdown, HTML, PDF, Word, subtitles, or an export from WhatsApp,
        Telegram, Slack, ChatGPT or Claude. Drop files anywhere, choose them, or paste text.
      </p>
    ) : (
      <p>Operators of this reflection can add sources.</p>
    )}
  </EmptyState>
)

function UploadRow({ upload, uploads }: { upload: Upload; uploads: Uploads }) {
  const title = escapeInvisible(upload.source.title)
  if (upload.state === 'sending') {
    return (
      <li className="text-soft flex flex-wrap gap-x-3 text-sm">
        <span className="animate-breathe" aria-hidden="true">
          ●
        </span>
        <span className="min-w-0 wrap-anywhere">Uploading {title}…</span>
      </li>
    )
  }
  const retry = () => {
    uploads.dismiss(upload)
    uploads.add(upload.source, upload.sourceId)
  }
  return (
    <li>
      <Notice
        action={
          <span className="flex flex-wrap gap-2">
            {upload.state === 'failed' && <Button onClick={retry}>Try again</Button>}
            <Button variant="ghost" onClick={() => uploads.dismiss(upload)}>
              Dismiss
            </Button>
          </span>
        }
      >
        {title}: {upload.error}
      </Notice>
    </li>
  )
}

function AddSource() {
  const { reflection, sourceInput } = useOpenReflection()
  const { namespaces } = reflection
  const { namespace, pastedText } = sourceInput
  const writable = listWritableNamespaces(reflection)
  const picker = useRef<HTMLInputElement>(null)
  const pasteButton = useRef<HTMLButtonElement>(null)
  const isPasting = pastedText !== undefined
  const close = () => {
    sourceInput.setPastedText(undefined)
    pasteButton.current?.focus()
  }
  if (writable.length === 0) {
    return <p className="text-sm">You cannot add sources to any folder. An admin can change that.</p>
  }
  const isPublic = namespaces.some(({ name, isPublished }) => name === namespace && isPublished)
  return (
    <section aria-label="Add sources" className="flex flex-col gap-4">
      <div className="flex flex-wrap items-end gap-2">
        <div className="w-56 max-sm:w-full">
          <Choice
            label="Folder"
            value={namespace}
            options={Object.fromEntries(
              writable.map(({ name, isPublished }) => [name, isPublished ? `${name} (public)` : name]),
            )}
            onChoose={sourceInput.setNamespace}
          />
        </div>
        <input
          ref={picker}
          type="file"
          multiple
          hidden
          data-source-files
          onChange={(event) => {
            sourceInput.addFiles([...(event.target.files ?? [])])
            event.target.value = ''
          }}
        />
        <Button variant="primary" onClick={() => picker.current?.click()}>
          Choose files
        </Button>
        <Button
          ref={pasteButton}
          aria-expanded={isPasting}
          onClick={() => (isPasting ? close() : sourceInput.setPastedText(''))}
        >
          Paste text
        </Button>
      </div>
      <p className="text-soft text-sm max-sm:hidden">
        Or drop files anywhere on a page of this reflection to add them to {namespace}.
      </p>
      {isPublic && (
        <p className="text-sm">
          <strong className="font-semibold">{namespace} is public:</strong> anyone can hear the content of
          sources that you add to it.
        </p>
      )}
      {isPasting && <PasteForm onClose={close} />}
    </section>
  )
}

function PasteForm({ onClose }: { onClose: () => void }) {
  const { uploads, sourceInput } = useOpenReflection()
  const { namespace, pastedText: text = '', setPastedText } = sourceInput
  const [title, setTitle] = useState('')
  const isComplete = title.trim() !== '' && text.trim() !== ''
  const add = () => {
    uploads.add({ title, namespace, text })
    onClose()
  }
  return (
    <Form
      aria-label="Paste text"
      className="border-line flex flex-col gap-4 rounded-md border p-4"
      isDisabled={!isComplete}
      onSubmit={add}
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
        onChange={(event) => setPastedText(event.target.value)}
      />
      <FormButtons disabled={!isComplete} onCancel={onClose}>
        Add to {namespace}
      </FormButtons>
    </Form>
  )
}
