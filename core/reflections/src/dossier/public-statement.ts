/** The names of a reflection's person: the public one, their own, and earlier ones. */
export interface CreatorNames {
  readonly displayName: string
  readonly creatorName?: string | undefined
  readonly formerNames?: readonly string[] | undefined
}

/** A statement for the public: the person has the reflection's name, since their own is private. */
export function toPublicStatement(
  statement: string,
  { displayName, creatorName, formerNames = [] }: CreatorNames,
): string {
  const names = [...(creatorName === undefined ? [] : [creatorName]), ...formerNames]
  const hidden = names.filter((name) => !matchNames([name]).test(displayName))
  return hidden.length === 0 ? statement : statement.replace(matchNames(hidden), () => displayName)
}

/** Matches these names as whole words, longer names first. */
function matchNames(names: readonly string[]): RegExp {
  const literally = names
    .toSorted((one, other) => other.length - one.length)
    .map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${literally.join('|')})(?![\\p{L}\\p{N}])`, 'giu')
}
