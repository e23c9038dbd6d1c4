import type { ComponentProps } from 'react'
import { Icon, type IconName } from './icon.tsx'

type Variant = 'primary' | 'secondary' | 'ghost' | 'danger'

const VARIANTS: Record<Variant, string> = {
  primary: 'bg-accent text-on-accent px-3.5 font-medium hover:opacity-90',
  secondary: 'border border-line px-3.5 hover:border-soft',
  ghost: 'text-soft px-2 hover:text-ink',
  danger: 'border border-alarm text-alarm px-3.5 hover:bg-shade',
}

export interface ButtonProps extends ComponentProps<'button'> {
  readonly variant?: Variant
  readonly icon?: IconName
}

export const Button = ({ variant = 'secondary', icon, className = '', children, ...rest }: ButtonProps) => (
  <button
    type="button"
    className={`inline-flex min-h-9 items-center max-sm:min-h-11 max-sm:min-w-11 justify-center gap-2 rounded-md text-sm transition-colors disabled:opacity-50 aria-disabled:opacity-50 ${VARIANTS[variant]} ${className}`}
    {...rest}
  >
    {icon && <Icon name={icon} />}
    {children}
  </button>
)

const LINK = 'inline-flex min-h-9 items-center gap-2 rounded-md px-3.5 text-sm max-sm:min-h-11'

/** The classes of a link that looks like a button. */
export const LINK_BUTTON = {
  primary: `${LINK} bg-accent text-on-accent font-medium hover:opacity-90`,
  secondary: `${LINK} border-line hover:border-soft border`,
} as const

interface IconButtonProps extends ButtonProps {
  readonly icon: IconName
  readonly label: string
}

/** A button without text; its label is its accessible name and its tooltip. */
export const IconButton = ({ label, ...rest }: IconButtonProps) => (
  <Button variant="ghost" aria-label={label} title={label} {...rest} />
)
