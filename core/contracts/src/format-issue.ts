import type { z } from 'zod'

/** Describes a validation issue; the text follows the value's name. Messages of our own schemas stay unchanged. */
export function formatIssue(issue: z.core.$ZodIssue): string {
  if (!LIBRARY_MESSAGE.test(issue.message)) return issue.message
  switch (issue.code) {
    case 'invalid_type':
      return formatWrongType(issue.expected, RECEIVED.exec(issue.message)?.[1] ?? '')
    case 'invalid_value':
      return formatChoice(issue.values)
    case 'too_small':
      return formatTooSmall(issue)
    case 'too_big':
      return `must ${formatLimit(issue, issue.maximum, issue.inclusive === false ? 'less than' : 'at most')}`
    case 'invalid_format':
      return `must be ${FORMATS[issue.format] ?? 'in another format'}`
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`
    case 'unrecognized_keys':
      return `unknown key ${quote(issue.keys.slice(0, MAX_NAMED))}`
    case 'invalid_key':
      return `has a name that ${formatInner(issue.issues)}`
    case 'invalid_element':
      return `holds a value that ${formatInner(issue.issues)}`
    case 'invalid_union':
      return 'options' in issue && issue.options
        ? formatChoice(issue.options)
        : 'has none of the allowed forms'
    case 'custom':
      return 'is not valid'
    default:
      return issue satisfies never
  }
}

// How zod's own messages begin; ours begin in lower case.
const LIBRARY_MESSAGE = /^(Invalid|Too (small|big)|Unrecognized)\b/
const RECEIVED = /, received (\w+)$/
const MAX_NAMED = 10

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

function formatWrongType(expected: string, received: string): string {
  if (received === 'undefined') return 'is missing'
  const required = TYPES[expected] ?? expected
  const given = TYPES[received]
  const isOtherType = given !== undefined && !(expected === 'int' && received === 'number')
  return isOtherType ? `must be ${required}, not ${given}` : `must be ${required}`
}

const formatChoice = (values: readonly unknown[]): string =>
  values.length === 1 ? `must be ${quote(values)}` : `must be one of ${quote(values)}`

const quote = (values: readonly unknown[]): string =>
  values.map((value) => (typeof value === 'string' ? `"${value}"` : String(value))).join(', ')

/** The counted unit, singular and plural. */
const UNITS: Readonly<Record<string, readonly [string, string]>> = {
  string: ['character', 'characters'],
  array: ['item', 'items'],
}

interface Limit {
  readonly origin: string
  readonly exact?: boolean | undefined
}

function formatLimit({ origin, exact }: Limit, count: number | bigint, bound: string): string {
  const unit = UNITS[origin]
  const howMany = exact ? 'exactly' : bound
  if (!unit) return `be ${howMany} ${count}`
  return `have ${howMany} ${count} ${unit[Number(count) === 1 ? 0 : 1]}`
}

function formatTooSmall(issue: z.core.$ZodIssueTooSmall): string {
  const { origin, minimum, inclusive, exact } = issue
  if (UNITS[origin] && Number(minimum) === 1 && !exact) return 'must not be empty'
  return `must ${formatLimit(issue, minimum, inclusive === false ? 'more than' : 'at least')}`
}

const formatInner = (issues: readonly z.core.$ZodIssue[]): string => {
  const [first] = issues
  return first ? formatIssue(first) : 'is not valid'
}
