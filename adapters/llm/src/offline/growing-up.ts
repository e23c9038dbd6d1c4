const IN_ONE_WORD = 'upbringing'

/** The text with one word for whatever says that somebody grew up. */
export const growingUpInOneWord = (text: string): string => text.replace(GROWING_UP, ` ${IN_ONE_WORD} `)

/** What a text tells of without saying so: a birth, a childhood and growing up tell of each other. */
export const impliedBy = (text: string): string =>
  /\bborn\b|\bchildhood\b/i.test(text) || text.search(GROWING_UP) >= 0 ? `${IN_ONE_WORD} childhood` : ''

/** What is looked up: sources seldom say of a childhood that it was one. */
export const withBirth = (question: string): string =>
  /\bchildhood\b/i.test(question) || question.search(GROWING_UP) >= 0
    ? `${question} Born, childhood.`
    : question

const GROWING_UP =
  /\b(?:grow|grows|grew|grown|growing) up\b|\b(?:was|were|been|be|being)(?: \p{L}+)? (?:raised|brought up)\b/giu
