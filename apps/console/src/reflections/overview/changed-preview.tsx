import type { PublishPreview } from '@parley/contracts'
import { Button } from '../../ui/button.tsx'
import { DiffLineView } from '../../ui/diff-line-view.tsx'
import { Notice } from '../../ui/notice.tsx'
import { previewChanges } from './preview-changes.ts'

interface ChangedPreviewProps {
  readonly looked: PublishPreview
  readonly latest: PublishPreview
  /** Whether somebody said yes to what they had looked at, and it was not done. */
  readonly wasRefused: boolean
  readonly onLook: () => void
}

/** What changed since somebody began to read. What they read stays as it is until they ask for the other. */
export function ChangedPreview({ looked, latest, wasRefused, onLook }: ChangedPreviewProps) {
  return (
    <>
      <Notice
        action={
          <Button
            onClick={({ currentTarget }) => {
              currentTarget.closest<HTMLElement>('[role="group"]')?.focus()
              onLook()
            }}
          >
            Look again
          </Button>
        }
      >
        {wasRefused
          ? 'Nothing was done: this changed while you were reading. Look again, then decide.'
          : 'It changed since you opened this. Look again before you decide.'}
      </Notice>
      <ul
        aria-label="What changed since"
        tabIndex={0}
        className="border-line max-h-60 overflow-y-auto rounded-md border py-1"
      >
        {previewChanges(looked, latest).map(({ kind, text }, at) => (
          <li key={at}>
            <DiffLineView kind={kind} text={text} />
          </li>
        ))}
      </ul>
    </>
  )
}
