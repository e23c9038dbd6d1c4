import type { z } from 'zod'

/** What is wrong with a value, to be read after its name. What a schema of ours says itself is left as it is. */
export function issueInWords(issue: z.core.$ZodIssue): string {
  if (!OF_THE_LIBRARY.test(issue.message)) return issue.message
  switch (issue.code) {
    case 'invalid_type':
      return wrongType(issue.expected, RECEIVED.exec(issue.message)?.[1] ?? '')
    case 'invalid_value':
      return oneOf(issue.values)
    case 'too_small':
      return tooSmall(issue)
    case 'too_big':
      return `must ${limit(issue, issue.maximum, issue.inclusive === false ? 'less than' : 'at most')}`
    case 'invalid_format':
      return `must be ${FORMATS[issue.format] ?? 'in another form'}`
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`
    case 'unrecognized_keys':
      return `unknown key ${quoted(issue.keys.slice(0, MOST_NAMED))}`
    case 'invalid_key':
      return `has a name that ${inner(issue.issues)}`
    case 'invalid_element':
      return `holds a value that ${inner(issue.issues)}`
    case 'invalid_union':
      return 'options' in issue && issue.options
        ? oneOf(issue.options)
        : 'has none of the forms that it may have'
    case 'custom':
      return 'is not valid'
    default:
      return issue satisfies never
  }
}

// The words of zod's own messages; ours begin in lower case.
const OF_THE_LIBRARY = /^(Invalid|Too (small|big)|Unrecognized)\b/
const RECEIVED = /, received (\w+)$/
const MOST_NAMED = 10

const TYPES: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  tuple: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
}

const FORMATS: Readonly<Record<string, string>> = {
  base64: 'base64',
  url: 'a URL',
  datetime: 'a time in ISO 8601, such as 2026-03-04T05:06:07Z',
}

function wrongType(expected: string, received: string): string {
  if (received === 'undefined') return 'is missing'
  const wanted = TYPES[expected] ?? expected
  const given = TYPES[received]
  const isNews = given !== undefined && !(expected === 'int' && received === 'number')
  return isNews ? `must be ${wanted}, not ${given}` : `must be ${wanted}`
}

const oneOf = (values: readonly unknown[]): string =>
  values.length === 1 ? `must be ${quoted(values)}` : `must be one of ${quoted(values)}`

const quoted = (values: readonly unknown[]): string =>
  values.map((value) => (typeof value === 'string' ? `"${value}"` : String(value))).join(', ')

/** What is counted, one and many. */
const UNITS: Readonly<Record<string, readonly [string, string]>> = {
  string: ['character', 'characters'],
  array: ['item', 'items'],
}

interface Limit {
  readonly origin: string
  readonly exact?: boolean | undefined
}

function limit({ origin, exact }: Limit, count: number | bigint, bound: string): string {
  const unit = UNITS[origin]
  const howMany = exact ? 'exactly' : bound
  if (!unit) return `be ${howMany} ${count}`
  return `have ${howMany} ${count} ${unit[Number(count) === 1 ? 0 : 1]}`
}

function tooSmall(issue: z.core.$ZodIssueTooSmall): string {
  const { origin, minimum, inclusive, exact } = issue
  if (UNITS[origin] && Number(minimum) === 1 && !exact) return 'must not be empty'
  return `must ${limit(issue, minimum, inclusive === false ? 'more than' : 'at least')}`
}

const inner = (issues: readonly z.core.$ZodIssue[]): string => {
  const [first] = issues
  return first ? issueInWords(first) : 'is not valid'
}
