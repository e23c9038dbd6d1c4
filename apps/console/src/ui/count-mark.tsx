interface CountMarkProps {
  readonly count: number
  /** True when there are more than `count`. */
  readonly more?: boolean | undefined
  /** Text for screen readers. */
  readonly label: string
}

/** A badge with the number of waiting items; nothing for zero. */
export function CountMark({ count, more = false, label }: CountMarkProps) {
  if (count === 0) return null
  return (
    <span className="bg-accent text-on-accent rounded-full px-1.5 text-xs leading-5">
      {count}
      {more && '+'}
      <span className="sr-only"> {label}</span>
    </span>
  )
}
