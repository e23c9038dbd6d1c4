import { AddSource as Limits, CONVERSATIONS } from '@parley/contracts'
import { useRef, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Choice, TextArea, TextField } from '../../ui/field.tsx'
import { useOpener } from '../../ui/use-opener.ts'
import { useOpenReflection } from '../open-reflection.ts'

interface AddSourceProps {
  readonly namespace: string
  readonly onNamespace: (namespace: string) => void
  readonly onFiles: (files: readonly File[]) => void
}

/** Where the next sources go, and the ways to give them. */
export function AddSource({ namespace, onNamespace, onFiles }: AddSourceProps) {
  const { namespaces } = useOpenReflection().reflection
  const own = namespaces.filter(({ name }) => name !== CONVERSATIONS)
  const picker = useRef<HTMLInputElement>(null)
  const pasting = useOpener()
  const isPublic = namespaces.some(({ name, isPublished }) => name === namespace && isPublished)
  return (
    <section aria-label="Add sources" className="flex flex-col gap-4">
      <div className="flex flex-wrap items-end gap-2">
        <div className="w-56 max-sm:w-full">
          <Choice label="Namespace" value={namespace} onChange={(event) => onNamespace(event.target.value)}>
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
            onFiles([...(event.target.files ?? [])])
            event.target.value = ''
          }}
        />
        <Button look="main" onClick={() => picker.current?.click()}>
          Choose files
        </Button>
        <Button {...pasting.opener}>Paste text</Button>
      </div>
      {isPublic && (
        <p className="text-sm">
          <strong className="font-semibold">{namespace} is public:</strong> what you add to it may be told to
          anybody.
        </p>
      )}
      {pasting.isOpen && <PasteForm namespace={namespace} onClose={pasting.close} />}
    </section>
  )
}

function PasteForm({ namespace, onClose }: { namespace: string; onClose: () => void }) {
  const { uploads } = useOpenReflection()
  const [title, setTitle] = useState('')
  const [text, setText] = useState('')
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
