import type { ComponentProps } from 'react'

type Look = 'main' | 'plain' | 'bare' | 'alarm'

const LOOKS: Record<Look, string> = {
  main: 'bg-accent text-on-accent px-3.5 font-medium hover:opacity-90',
  plain: 'border border-line px-3.5 hover:border-soft',
  bare: 'text-soft px-2 hover:text-ink',
  alarm: 'border border-alarm text-alarm px-3.5 hover:bg-shade',
}

export function Button({
  look = 'plain',
  className = '',
  ...rest
}: ComponentProps<'button'> & { look?: Look }) {
  return (
    <button
      type="button"
      className={`inline-flex min-h-9 items-center max-sm:min-h-11 max-sm:min-w-11 justify-center gap-2 rounded-md text-sm transition-colors disabled:opacity-50 aria-disabled:opacity-50 ${LOOKS[look]} ${className}`}
      {...rest}
    />
  )
}
