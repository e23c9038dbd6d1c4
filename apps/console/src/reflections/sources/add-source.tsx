import { AddSource as Limits } from '@parley/contracts'
import { useRef, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Choice, TextArea, TextField } from '../../ui/field.tsx'
import { useOpenReflection } from '../open-reflection.ts'
import { writableNamespaces } from './first-namespace.ts'

/** Where the next sources go, and the ways to give them. */
export function AddSource() {
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
