import type { ComponentProps } from 'react'

/** A list with a line between its rows. */
export const Rows = ({ className = '', ...rest }: ComponentProps<'ul'>) => (
  <ul className={`divide-line border-line divide-y border-y ${className}`} {...rest} />
)
