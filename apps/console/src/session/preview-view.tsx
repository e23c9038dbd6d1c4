import type { WaitingCall } from '@parley/api-client'
import { type DiffLine, diffLines } from './diff-lines.ts'
import { visibleText } from './visible-text.ts'

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
        diffLines(text).map((line, index) => <DiffLineView key={index} line={line} />)
      ) : (
        <p className="px-2.5 wrap-anywhere whitespace-pre-wrap">{visibleText(text)}</p>
      )}
    </div>
  )
}

const LOOKS = {
  added: { Line: 'ins', mark: '+', look: 'bg-added text-ink no-underline' },
  removed: { Line: 'del', mark: '−', look: 'bg-removed text-ink no-underline' },
  same: { Line: 'div', mark: '', look: 'text-soft' },
  about: { Line: 'div', mark: '', look: 'text-soft italic' },
} as const

function DiffLineView({ line: { kind, text } }: { line: DiffLine }) {
  const { Line, mark, look } = LOOKS[kind]
  return (
    <Line data-line={kind} className={`grid grid-cols-[1.75rem_minmax(0,1fr)] ${look}`}>
      <span className="text-center font-semibold select-none">{mark}</span>
      <span className="min-h-5 pe-2.5 wrap-anywhere whitespace-pre-wrap">{visibleText(text)}</span>
    </Line>
  )
}
