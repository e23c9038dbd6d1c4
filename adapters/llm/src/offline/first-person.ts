import { MONTHS } from '@parley/contracts'

/** A statement of somebody as they would say it themself, where a rule can tell; else as it is. Dates are made readable. */
export function inFirstPerson(statement: string, name: string | undefined): string {
  const text = withPlainDates(statement)
  if (name === undefined || !text.startsWith(name)) return text
  const rest = text.slice(name.length)
  const kin = /^['’]s (\p{Ll}.*)$/u.exec(rest)?.[1]
  if (kin !== undefined) return `My ${kin}`
  const [, verb = '', after = ''] = /^ (\p{L}+)(.*)$/u.exec(rest) ?? []
  const form = VERBS.get(verb) ?? (/..ed$/.test(verb) ? verb : undefined)
  if (form === undefined) return text
  return `I ${form}${after.replace(/^ their\b/, ' my')}`
}

/** The form that goes with "I", for verbs that facts are told with; all others on -ed stay as they are. */
const VERBS: ReadonlyMap<string, string> = new Map([
  ['is', 'am'],
  ['has', 'have'],
  ...'believes comes dislikes drinks eats enjoys grows hates keeps knows lives likes loves makes mends owes owns plans plays prefers speaks studies teaches wants works writes'
    .split(' ')
    .map((verb) => [verb, baseOf(verb)] as const),
  ...'was had won wrote left sold bought built met grew taught became began ran made took gave went came kept lost found'
    .split(' ')
    .map((verb) => [verb, verb] as const),
])

function baseOf(verb: string): string {
  if (verb.endsWith('ies')) return `${verb.slice(0, -3)}y`
  return verb.endsWith('ches') ? verb.slice(0, -2) : verb.slice(0, -1)
}

/** "14 March 1968" for 1968-03-14, "May 2023" for 2023-05. */
const withPlainDates = (text: string): string =>
  text.replace(
    /\b(\d{4})-(0[1-9]|1[0-2])(?:-(\d\d))?\b(?![-\d])/g,
    (whole, year: string, month: string, day?: string) => {
      const named = MONTHS[Number(month) - 1]
      if (named === undefined) return whole
      return day === undefined ? `${named} ${year}` : `${Number(day)} ${named} ${year}`
    },
  )
