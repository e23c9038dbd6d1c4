import { AddSource as Limits, type Source } from '@parley/contracts'
import { useRef, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { TextArea } from '../../ui/field.tsx'
import { useOpenReflection } from '../open-reflection.ts'
import { sourceOfFile, whyNotSent } from './source-of-file.ts'

/** Takes a new version of a source, as a file or as text. It keeps its title and its namespace. */
export function ReplaceSource({ source, onClose }: { source: Source; onClose: () => void }) {
  const { uploads } = useOpenReflection()
  const { id, title, namespace } = source
  const [text, setText] = useState('')
  const picker = useRef<HTMLInputElement>(null)
  const giveFile = (file: File) => {
    const given = { ...sourceOfFile(file, namespace), title }
    const why = whyNotSent(file)
    if (why === undefined) uploads.add(given, id)
    else uploads.refuse(given, why)
    onClose()
  }
  const giveText = () => {
    if (text.trim() === '') return
    uploads.add({ title, namespace, text }, id)
    onClose()
  }
  return (
    <form
      aria-label={`Replace ${title}`}
      className="border-line flex flex-col gap-4 rounded-md border p-4"
      onKeyDown={(event) => event.key === 'Escape' && !event.nativeEvent.isComposing && onClose()}
      onSubmit={(event) => {
        event.preventDefault()
        giveText()
      }}
    >
      <p>
        What the new version says takes the place of what was learned from the one before, which is kept as
        superseded.
      </p>
      <input
        ref={picker}
        type="file"
        hidden
        data-new-version
        onChange={(event) => {
          const [file] = event.target.files ?? []
          if (file) giveFile(file)
        }}
      />
      <Button className="self-start" autoFocus onClick={() => picker.current?.click()}>
        Choose the file
      </Button>
      <TextArea
        label="Or paste its text"
        rows={6}
        maxLength={Limits.shape.text.maxLength ?? undefined}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <div className="flex gap-2">
        <Button type="submit" look="main" disabled={text.trim() === ''}>
          Replace by this text
        </Button>
        <Button look="bare" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </form>
  )
}
