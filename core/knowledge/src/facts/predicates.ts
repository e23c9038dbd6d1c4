import type { Dates } from './dates.ts'

/** The predicates of facts, with the words between subject and object in a sentence. */
export const PREDICATES = {
  lives_in: 'lives in',
  lived_in: 'lived in',
  moved_to: 'moved to',
  born_in: 'was born in',
  born_on: 'was born on',
  grew_up_in: 'grew up in',
  died_in: 'died in',
  comes_from: 'comes from',
  works_as: 'works as',
  worked_as: 'worked as',
  works_at: 'works at',
  worked_at: 'worked at',
  is_a: 'is',
  was_a: 'was',
  studied: 'studied',
  studied_at: 'studied at',
  graduated_from: 'graduated from',
  married_to: 'is married to',
  was_married_to: 'was married to',
  has_relative: 'is related to',
  friend_of: 'is a friend of',
  likes: 'likes',
  dislikes: 'dislikes',
  prefers: 'prefers',
  has_favourite: 'has as a favourite',
  owns: 'has',
  is_called: 'is called',
  speaks: 'speaks',
  plays: 'plays',
  drinks: 'drinks',
  allergic_to: 'is allergic to',
  believes: 'believes that',
  plans_to: 'plans to',
  founded: 'founded',
  wrote: 'wrote',
  won: 'won',
  bought: 'bought',
  sold: 'sold',
  built: 'built',
  adopted: 'adopted',
  passed: 'passed',
  declined: 'declined',
  joined: 'joined',
  left: 'left',
  retired_from: 'retired from',
  became: 'became',
  met: 'met',
  makes: 'makes',
  mends: 'mends',
  led: 'led',
  ran: 'ran',
  learned: 'learned',
  gave_up: 'gave up',
  is_writing: 'is writing',
  has_condition: 'has',
  not_is_a: 'is not',
  not_works_at: 'no longer works at',
  not_lives_in: 'no longer lives in',
  was_at: 'was at',
  keeps: 'keeps',
  aged: 'is aged',
} as const satisfies Record<string, string>

export type Predicate = keyof typeof PREDICATES

/** Predicates with one object at a time (`changing`), usually one (`mostly`), or one forever (`fixed`). */
export const ONE_AT_A_TIME: ReadonlyMap<string, 'changing' | 'mostly' | 'fixed'> = new Map([
  ['lives_in', 'changing'],
  ['works_at', 'mostly'],
  ['married_to', 'changing'],
  ['born_in', 'fixed'],
  ['born_on', 'fixed'],
])

/** Pairs that cannot both be true for the same subject and object. */
export const OPPOSITES: ReadonlyMap<string, string> = new Map([
  ['likes', 'dislikes'],
  ['dislikes', 'likes'],
  ['is_a', 'not_is_a'],
  ['not_is_a', 'is_a'],
  ['works_at', 'not_works_at'],
  ['not_works_at', 'works_at'],
  ['lives_in', 'not_lives_in'],
  ['not_lives_in', 'lives_in'],
])

/** Predicates whose object is another person. Their quotes may contain that person's data. */
export const PREDICATES_NAMING_PEOPLE: ReadonlySet<string> = new Set([
  'married_to',
  'was_married_to',
  'has_relative',
  'friend_of',
  'met',
])

/** A fact as found in a sentence, without evidence. */
export interface StatedFact {
  readonly subject: string
  readonly predicate: Predicate
  readonly object: string
  readonly statement: string
  readonly confidence: number
  readonly dates?: Dates | undefined
}
