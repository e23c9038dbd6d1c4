import type { Segment } from '@parley/knowledge'

/** The speaker of a message from a deleted account. Without a speaker it would count as the person's own text. */
export const UNKNOWN_SPEAKER = 'Unknown'

/** A message of a chat as a segment. */
export function toMessageSegment(
  text: string,
  place: {
    readonly speaker: string
    readonly date: string | undefined
    readonly heading?: string | undefined
  },
): Segment {
  const { speaker, date, heading } = place
  return {
    text,
    place: { speaker, ...(date ? { date } : {}), ...(heading ? { heading } : {}) },
  }
}

/** Parses JSON; undefined if it is invalid. */
export function parseExport(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Reads a field of parsed JSON. Only own fields count, so `constructor` is a normal name. */
export function readField(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return (value as Readonly<Record<string, unknown>>)[name]
}

export function readTextField(value: unknown, name: string): string | undefined {
  const text = readField(value, name)
  return typeof text === 'string' && text !== '' ? text : undefined
}

export function readListField(value: unknown, name: string): readonly unknown[] {
  const list = readField(value, name)
  return Array.isArray(list) ? list : []
}

/** Converts seconds since 1970, as number or text, to a date and time. */
export function parseUnixSeconds(seconds: unknown): string | undefined {
  if (typeof seconds !== 'number' && typeof seconds !== 'string') return undefined
  const date = new Date(Math.trunc(Number(seconds)) * 1_000)
  return seconds === '' || Number.isNaN(date.getTime()) ? undefined : date.toISOString()
}

/** A field that is a date, or a date and time. */
export function readDateField(value: unknown, name: string): string | undefined {
  const text = readTextField(value, name)
  return text && /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?)?$/.test(text)
    ? text
    : undefined
}
