import type { WaitingCall } from '@parley/api-client'
import { DiffLineView } from '../ui/diff-line-view.tsx'
import { visibleText } from '../ui/visible-text.ts'
import { diffLines } from './diff-lines.ts'

type Preview = NonNullable<WaitingCall['preview']>

/** What a call would do, as text and nothing but text. */
export function PreviewView({ preview: { kind, text } }: { preview: Preview }) {
  return (
    <div
      role="group"
      aria-label={kind === 'diff' ? 'What it would change' : 'What it would do'}
      tabIndex={0}
      dir="ltr"
      className="bg-shade border-line max-h-[min(24rem,45dvh)] overflow-auto rounded-sm border py-1.5 font-mono text-xs leading-5 [tab-size:4]"
    >
      {kind === 'diff' ? (
        diffLines(text).map((line, index) => <DiffLineView key={index} {...line} />)
      ) : (
        <p className="px-2.5 wrap-anywhere whitespace-pre-wrap">{visibleText(text)}</p>
      )}
    </div>
  )
}
