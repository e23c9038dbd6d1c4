/** The row of tabs below a page's title. */
export const TAB_ROW = 'border-line border-b px-2.5 sm:px-5.5'

export const TAB =
  'text-soft hover:text-ink aria-[current=page]:border-accent aria-[current=page]:text-ink flex min-h-10 items-center whitespace-nowrap justify-center gap-1.5 border-b-2 border-transparent px-2.5 text-sm max-sm:min-h-11 max-sm:min-w-11 max-sm:px-1.5'
