import type { PublishPreview } from '@parley/contracts'
import { DiffLineView } from '../../ui/diff-line-view.tsx'
import { Notice } from '../../ui/notice.tsx'
import { visibleText } from '../../ui/visible-text.ts'
import { dossierInWords, touchedInWords } from './preview-in-words.ts'

interface PublishPreviewProps {
  readonly preview: PublishPreview
  readonly publish: boolean
}

/** What the public agent would hold, line by line, and whom the change touches. */
export function PublishPreviewView({ preview, publish }: PublishPreviewProps) {
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
