import type { ReactNode } from 'react'
import type { Trouble } from './troubles.ts'

interface PartProps {
  /** What links to it name. */
  readonly id: Trouble['part']
  readonly title: string
  readonly children: ReactNode
}

/** A part of the page that the summary leads to. */
export function Part({ id, title, children }: PartProps) {
  return (
    <section id={id} aria-labelledby={`${id}-title`} className="flex scroll-mt-4 flex-col gap-4">
      <h2 id={`${id}-title`} className="font-serif text-lg">
        {title}
      </h2>
      {children}
    </section>
  )
}

export const TABLE = 'w-full text-sm tabular-nums'

/** A table that scrolls by itself where it has no room, by keys too. */
export function WideTable({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div tabIndex={0} role="region" aria-label={label} className="overflow-x-auto">
      {children}
    </div>
  )
}

export function HeadCell({ children, side = 'end' }: { children: ReactNode; side?: 'start' | 'end' }) {
  return (
    <th
      scope="col"
      className={`border-line text-soft border-b py-1.5 font-normal ${side === 'start' ? 'text-start' : 'ps-4 text-end'}`}
    >
      {children}
    </th>
  )
}
