import { escapeInvisible } from './escape-invisible.ts'

const KINDS = {
  added: { Line: 'ins', mark: '+', className: 'bg-added text-ink no-underline' },
  removed: { Line: 'del', mark: '−', className: 'bg-removed text-ink no-underline' },
  same: { Line: 'div', mark: '', className: 'text-soft' },
  about: { Line: 'div', mark: '', className: 'text-soft italic' },
} as const

/** Marked with a sign too, for people who cannot see the colours. */
export function DiffLineView({ kind, text }: { kind: keyof typeof KINDS; text: string }) {
  const { Line, mark, className } = KINDS[kind]
  return (
    <Line data-line={kind} className={`grid grid-cols-[1.75rem_minmax(0,1fr)] ${className}`}>
      <span className="text-center font-semibold select-none">{mark}</span>
      <span className="min-h-5 pe-2.5 wrap-anywhere whitespace-pre-wrap">{escapeInvisible(text)}</span>
    </Line>
  )
}
