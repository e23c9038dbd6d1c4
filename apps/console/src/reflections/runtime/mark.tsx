import type { ReactNode } from 'react'

const LOOKS = {
  good: 'border-accent text-accent',
  bad: 'border-alarm text-alarm',
  quiet: 'border-line text-soft',
} as const

/** A word for how something stands. */
export function Mark({ look, children }: { look: keyof typeof LOOKS; children: ReactNode }) {
  return (
    <span
      className={`inline-flex shrink-0 items-center rounded-full border px-2 text-xs leading-5 ${LOOKS[look]}`}
    >
      {children}
    </span>
  )
}
