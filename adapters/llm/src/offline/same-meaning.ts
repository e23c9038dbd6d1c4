import { stemsOf } from './stems-of.ts'

/** Whether a word of a question and one of a text say the same: a slip of one letter counts, and so do usual synonyms. */
export const sameMeaning = (asked: string, found: string): boolean =>
  asked === found || (GROUPS.get(asked)?.has(found) ?? false) || isSlip(asked, found)

const GROUPS: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  `mother mum mom, father dad, job work profession occupation post, award prize medal, refuse decline reject,
  illness disease, boat ship vessel, home house, quarrel row argue, oppose against, child kid, owe debt borrow,
  town city, grass seagrass eelgrass, instrument piano violin fiddle guitar flute concertina, photo photograph picture,
  mail email, medicine tablet pill, spot see, director head, begin start, restore restoration, survive live, name call,
  cost price pound euro dollar, money pound euro dollar, partner husband wife, birthday born, award medal`
    .split(',')
    .map((group) => stemsOf(group))
    .flatMap((group) => group.map((word) => [word, group] as const))
    .reduce(
      (groups, [word, group]) => groups.set(word, new Set([...(groups.get(word) ?? []), ...group])),
      new Map<string, Set<string>>(),
    ),
)

const SHORTEST_SLIP = 6

/** One letter more, less, or another; or the same with a usual ending. */
function isSlip(one: string, other: string): boolean {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one]
  if (short.length < SHORTEST_SLIP - 1 || long.length - short.length > LONGEST_ENDING) return false
  if (long.startsWith(short)) return ENDING.test(long.slice(short.length))
  if (long.length - short.length > 1 || short.length < SHORTEST_SLIP || /\d/.test(long)) return false
  let at = 0
  while (at < short.length && short[at] === long[at]) at += 1
  return short.slice(at + (long.length === short.length ? 1 : 0)) === long.slice(at + 1)
}

const LONGEST_ENDING = 4
const ENDING = /^(?:s|r|d|n|y|er|or|ed|ly|ing|ers|ors|ment|ful)$/
