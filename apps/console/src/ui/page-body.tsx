import type { ComponentProps, ReactNode } from 'react'

const WIDTHS = { text: 'max-w-3xl', wide: 'max-w-6xl' } as const

/** The scrollable area below a page's header. */
export function PageBody({ width = 'text', children }: { width?: keyof typeof WIDTHS; children: ReactNode }) {
  return (
    <div data-scrolls tabIndex={-1} className="min-h-0 flex-1 overflow-y-auto outline-none">
      <div className={`flex flex-col gap-6 px-4 pt-6 pb-16 sm:px-8 ${WIDTHS[width]}`}>{children}</div>
    </div>
  )
}

/** A part of a page with a heading of its own. */
export const Section = ({
  title,
  className = 'gap-4',
  children,
  ...rest
}: ComponentProps<'section'> & { title: string }) => (
  <section aria-label={title} className={`flex scroll-mt-4 flex-col ${className}`} {...rest}>
    <h2 className="font-serif text-lg">{title}</h2>
    {children}
  </section>
)

/** What a page or a section is for, above its content. */
export const Intro = ({ children }: { children: ReactNode }) => (
  <p className="text-soft max-w-prose text-sm leading-6">{children}</p>
)

/** What a page or a list says when it has nothing to show, and what to do next. */
export const EmptyState = ({ title, children, ...rest }: ComponentProps<'div'> & { title: string }) => (
  <div className="flex max-w-prose flex-col items-start gap-3 text-sm leading-6 outline-none" {...rest}>
    <p className="font-serif text-xl">{title}</p>
    {children}
  </div>
)

/** A list with a line between its rows. */
export const Rows = ({ className = '', ...rest }: ComponentProps<'ul'>) => (
  <ul className={`divide-line border-line divide-y border-y ${className}`} {...rest} />
)
