interface CountMarkProps {
  readonly count: number
  /** Set where there are more than were counted. */
  readonly more?: boolean | undefined
  /** What they do, for those who listen. */
  readonly says: string
}

/** How many wait behind a link; nothing where none do. */
export function CountMark({ count, more = false, says }: CountMarkProps) {
  if (count === 0) return null
  return (
    <span className="bg-accent text-on-accent rounded-full px-1.5 text-xs leading-5">
      {count}
      {more && '+'}
      <span className="sr-only"> {says}</span>
    </span>
  )
}
