import { visibleText } from './visible-text.ts'

const LOOKS = {
  added: { Line: 'ins', mark: '+', look: 'bg-added text-ink no-underline' },
  removed: { Line: 'del', mark: '−', look: 'bg-removed text-ink no-underline' },
  same: { Line: 'div', mark: '', look: 'text-soft' },
  about: { Line: 'div', mark: '', look: 'text-soft italic' },
} as const

interface DiffLineProps {
  readonly kind: keyof typeof LOOKS
  readonly text: string
}

/** Marked with a sign too, for people who cannot see the colours. */
export function DiffLineView({ kind, text }: DiffLineProps) {
  const { Line, mark, look } = LOOKS[kind]
  return (
    <Line data-line={kind} className={`grid grid-cols-[1.75rem_minmax(0,1fr)] ${look}`}>
      <span className="text-center font-semibold select-none">{mark}</span>
      <span className="min-h-5 pe-2.5 wrap-anywhere whitespace-pre-wrap">{visibleText(text)}</span>
    </Line>
  )
}
