import type { ReactNode } from 'react'

/** What stands below a page's header, and scrolls by itself. */
export function PageBody({ children }: { children: ReactNode }) {
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <div className="flex max-w-3xl flex-col gap-6 px-4 pt-6 pb-16 sm:px-8">{children}</div>
    </div>
  )
}

/** A part of a page with a heading of its own. */
export function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title} className="flex flex-col gap-4">
      <h2 className="font-serif text-lg">{title}</h2>
      {children}
    </section>
  )
}
