import { computeSha256 } from './hashes.ts'

/** A statement that each connection prepares once, under its name. */
export interface SqlStatement {
  readonly name: string
  readonly text: string
}

/** Names the statement after its text, so that no two share a name. */
export const statement = (text: string): SqlStatement => ({
  name: computeSha256(text).toString('base64url'),
  text,
})

/** Makes a statement whose parameters are written as `:name`. Its function gives the statement with these values. */
export function namedStatement(
  text: string,
): (values: NamedValues) => readonly [SqlStatement, readonly unknown[]] {
  const { numbered, names } = numberParameters(text)
  const prepared = statement(numbered)
  return (values) => [prepared, listValues(names, values)]
}

type NamedValues = Readonly<Record<string, unknown>>

/** The values in the order of their names. An optional value is given as undefined. */
export const listValues = (names: readonly string[], values: NamedValues): readonly unknown[] =>
  names.map((name) => {
    if (!(name in values)) throw new Error(`the statement's parameter :${name} has no value`)
    return values[name]
  })

/** Replaces each `:name` by its number, in order of first use. A cast has two colons. */
export function numberParameters(text: string): {
  readonly numbered: string
  readonly names: readonly string[]
} {
  const names: string[] = []
  const numbered = text.replace(/(?<!:):([a-z_]+)/g, (_, name: string) => {
    if (!names.includes(name)) names.push(name)
    return `$${names.indexOf(name) + 1}`
  })
  return { numbered, names }
}
