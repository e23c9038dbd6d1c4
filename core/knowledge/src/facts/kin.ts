import { KIN_WORDS } from '@parley/contracts'

const ANIMAL_WORDS = [...KIN_WORDS.animals, 'Hund', 'Katze', 'Pferd']

const GERMAN = 'Schwester Bruder Mutter Vater Tochter Sohn Frau Mann Freund Freundin Oma Opa Tante Onkel'

/** Relatives, friends and animals, as a fact names them. */
export const KIN: readonly string[] = [
  ...KIN_WORDS.parents,
  ...KIN_WORDS.siblings,
  ...KIN_WORDS.children,
  ...KIN_WORDS.partners,
  ...KIN_WORDS.others,
  ...GERMAN.split(' '),
  ...ANIMAL_WORDS,
]

export const SPOUSES: ReadonlySet<string> = new Set(['wife', 'husband'])

export const ANIMALS: ReadonlySet<string> = new Set(ANIMAL_WORDS)

/** Several of them, by what one of them is. */
export const SEVERAL: ReadonlyMap<string, string> = new Map([
  ['children', 'child'],
  ['kids', 'child'],
  ['grandchildren', 'grandchild'],
  ['boys', 'son'],
  ['girls', 'daughter'],
  ...['daughter', 'son', 'brother', 'sister', 'cousin', 'dog', 'cat', 'horse'].map(
    (one) => [`${one}s`, one] as const,
  ),
])
