const ANIMAL_WORDS = 'dog cat horse pony rabbit parrot tortoise Hund Katze Pferd'.split(' ')

/** Those whom one has, and how a fact names them. */
export const KIN = [
  ...'mother father mum mom dad sister brother twin half-sister half-brother stepmother stepfather stepsister stepbrother daughter son stepdaughter stepson wife husband partner girlfriend boyfriend fiancé fiancée ex-wife ex-husband grandmother grandfather grandma grandpa granny aunt uncle cousin niece nephew granddaughter grandson godmother godfather godson goddaughter mother-in-law father-in-law sister-in-law brother-in-law friend colleague neighbour neighbor boss mentor teacher Schwester Bruder Mutter Vater Tochter Sohn Frau Mann Freund Freundin Oma Opa Tante Onkel'.split(
    ' ',
  ),
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
