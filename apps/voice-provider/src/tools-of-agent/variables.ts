import type { Json } from '@parley/contracts'

export type Variables = Readonly<Record<string, Json>>

/** `{{name}}`. */
export const PLACEHOLDER = /\{\{\s*([\p{L}\p{N}_.-]+)\s*\}\}/gu

/** The variables that a text asks for. */
export const namesIn = (text: string): readonly string[] =>
  [...text.matchAll(PLACEHOLDER)].flatMap(([, name]) => (name === undefined ? [] : [name]))

/** The text with each `{{name}}` filled; one that has no value stays as it is written. */
export const fillVariables = (
  text: string,
  variables: Variables,
  write: (value: string) => string = (value) => value,
): string =>
  text.includes('{{')
    ? text.replace(PLACEHOLDER, (written, name: string) => {
        const value = valueOf(name, variables)
        return value === undefined ? written : write(asText(value))
      })
    : text

/** Undefined where it was not given; an inherited property is no variable. */
export function valueOf(name: string, variables: Variables): Json | undefined {
  const value = Object.hasOwn(variables, name) ? variables[name] : undefined
  return value === null ? undefined : value
}

export const asText = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value))

const SECRET = 'secret__'

/** A secret goes into the headers of tools and nowhere else. */
export const withoutSecrets = (variables: Variables): Variables =>
  Object.fromEntries(Object.entries(variables).filter(([name]) => !isSecret(name)))

export const isSecret = (name: string): boolean => name.startsWith(SECRET)
