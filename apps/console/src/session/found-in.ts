/** Something that was looked up, and the source that it stands in. */
export interface Found {
  readonly text: string
  readonly title: string
}

/** What a look into a reflection's sources came to; undefined where a tool told something else. */
export function foundIn(result: string): readonly Found[] | undefined {
  const told = jsonIn(result)
  if (!isRecord(told) || !Array.isArray(told['evidence'])) return undefined
  return told['evidence'].flatMap((one: unknown) => {
    if (!isRecord(one) || typeof one['text'] !== 'string') return []
    return { text: one['text'], title: titleOf(one['source']) }
  })
}

/** A model is told the title alone, a voice provider's agent within the source. */
const titleOf = (source: unknown): string => {
  const title = isRecord(source) ? source['title'] : source
  return typeof title === 'string' ? title : ''
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
