/** What a fact's person is called by: in public, and by themselves, now and before. */
export interface Names {
  readonly displayName: string
  readonly creatorName?: string | undefined
  readonly formerNames?: readonly string[] | undefined
}

/** A fact as the public reads it: its person has the name of the reflection, since their own is private. */
export function publicStatement(
  statement: string,
  { displayName, creatorName, formerNames = [] }: Names,
): string {
  const names = [...(creatorName === undefined ? [] : [creatorName]), ...formerNames]
  const hidden = names.filter((name) => !anyOf([name]).test(displayName))
  return hidden.length === 0 ? statement : statement.replace(anyOf(hidden), () => displayName)
}

/** These names as whole words; of two that begin alike the longer one. */
function anyOf(names: readonly string[]): RegExp {
  const literally = names
    .toSorted((one, other) => other.length - one.length)
    .map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${literally.join('|')})(?![\\p{L}\\p{N}])`, 'giu')
}
