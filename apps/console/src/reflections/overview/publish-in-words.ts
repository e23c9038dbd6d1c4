interface Publishing {
  readonly name: string
  readonly isPublished: boolean
  readonly count: number
}

/** What publishing or unpublishing a namespace does to the sources in it, before they are named one by one. */
export function publishInWords({ name, isPublished, count }: Publishing): string {
  const these = count === 1 ? 'this source' : `these ${count} sources`
  if (count === 0) return `There is no source in ${name} yet.`
  if (isPublished) return `From the next question on, the public finds nothing more of ${these}:`
  return `Anybody who talks with this reflection may then be told what stands in ${these}, word for word:`
}
