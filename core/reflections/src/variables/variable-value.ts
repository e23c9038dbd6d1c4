import type { Json } from '@parley/contracts'

/** A variable with how it may be cut: text at a word, a list by whole entries. */
export type VariableValue = TextValue | EntriesValue

interface TextValue {
  readonly kind: 'text'
  readonly text: string
}

interface EntriesValue {
  readonly kind: 'entries'
  /** The ones that matter most first. */
  readonly entries: readonly string[]
  readonly render: (kept: readonly string[]) => string
}

export const text = (value: string): TextValue => ({ kind: 'text', text: value })

export const list = (entries: readonly string[]): EntriesValue => ({
  kind: 'entries',
  entries,
  render: (kept) => kept.join(', '),
})

/** An object or array; a cut removes whole members. */
export function json(value: Readonly<Record<string, Json>> | readonly Json[]): EntriesValue {
  if (Array.isArray(value)) {
    return { kind: 'entries', entries: value.map(inJson), render: (kept) => `[${kept.join(',')}]` }
  }
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}:${inJson(member)}`)
  return { kind: 'entries', entries: members, render: (kept) => `{${kept.join(',')}}` }
}

const inJson = (value: Json): string => JSON.stringify(value)

/** The text of a value, with the first entries of a list or all of them. It never ends in half a character. */
export function rendered(value: VariableValue, entries?: number): string {
  if (value.kind === 'text') return value.text.toWellFormed()
  const kept = value.entries.slice(0, entries)
  return kept.length === 0 ? '' : value.render(kept).toWellFormed()
}
