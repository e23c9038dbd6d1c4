import { KIN_WORDS } from '@parley/contracts'

/** Relatives, friends and pets, as alternatives of a pattern. */
export const KIN = {
  siblings: [...KIN_WORDS.siblings, 'step-sister', 'step-brother', 'sibling'].join('|'),
  children: [...KIN_WORDS.children, 'child', 'children', 'kid'].join('|'),
  parents: [...KIN_WORDS.parents, 'parent'].join('|'),
  partners: [...KIN_WORDS.partners, 'spouse'].join('|'),
  others: [...KIN_WORDS.others, 'grand[a-z]+'].join('|'),
  pets: [...KIN_WORDS.animals, 'pet'].join('|'),
} as const

export const ANY_KIN = Object.values(KIN).join('|')
