/** What is wrong with the characters of a command line, if anything: a person has to see what they allow. */
export function hiddenCharacter(command: string): string | undefined {
  const [found] = HIDDEN.exec(command) ?? []
  return found === undefined
    ? undefined
    : `the character ${codeOf(found)}, which is not seen or looks like a space`
}

/** A word that is easily taken for another, if there is one; a person who wrote it themselves meant it. */
export function lookAlike(command: string): string | undefined {
  return command.split(' ').find((word) => isMixed(word) || isCompatibility(word))
}

// Control and format characters, lone surrogates, what is not assigned, all spaces but the plain one, blank Braille.
const HIDDEN = /(?! )[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u

const isMixed = (word: string): boolean =>
  /\p{Script=Latin}/u.test(word) &&
  /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}\p{Script=Coptic}\p{Script=Lisu}]/u.test(
    word,
  )

/** Such as the full-width forms of letters, hyphens and semicolons. */
const isCompatibility = (word: string): boolean =>
  Array.from(word).some((each) => each > '\x7f' && /^[\x20-\x7e]+$/.test(each.normalize('NFKC')))

const codeOf = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
