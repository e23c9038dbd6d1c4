import type { ComponentProps } from 'react'

type Variant = 'primary' | 'secondary' | 'ghost' | 'danger'

const VARIANTS: Record<Variant, string> = {
  primary: 'bg-accent text-on-accent px-3.5 font-medium hover:opacity-90',
  secondary: 'border border-line px-3.5 hover:border-soft',
  ghost: 'text-soft px-2 hover:text-ink',
  danger: 'border border-alarm text-alarm px-3.5 hover:bg-shade',
}

export function Button({
  variant = 'secondary',
  className = '',
  ...rest
}: ComponentProps<'button'> & { variant?: Variant }) {
  return (
    <button
      type="button"
      className={`inline-flex min-h-9 items-center max-sm:min-h-11 max-sm:min-w-11 justify-center gap-2 rounded-md text-sm transition-colors disabled:opacity-50 aria-disabled:opacity-50 ${VARIANTS[variant]} ${className}`}
      {...rest}
    />
  )
}
