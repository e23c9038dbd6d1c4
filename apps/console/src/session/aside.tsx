import type { ReactNode } from 'react'

interface AsideProps {
  readonly summary: ReactNode
  readonly open?: boolean
  readonly children: ReactNode
}

/** What need not be read to follow the answer, behind one line. */
export function Aside({ summary, open = false, children }: AsideProps) {
  return (
    <details open={open} className="text-soft text-sm leading-6">
      <summary className="hover:text-ink w-fit wrap-anywhere">{summary}</summary>
      <div className="border-line mt-2 flex flex-col gap-2 border-s ps-4">{children}</div>
    </details>
  )
}
