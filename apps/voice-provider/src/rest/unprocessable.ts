import type { z } from 'zod'

/** One thing that is wrong with a request, as the vendor tells it. */
export interface Flaw {
  readonly type: string
  readonly loc: readonly (string | number)[]
  readonly msg: string
  readonly input: unknown
}

/** A request that was understood and is not well formed: answered with 422 and all that is wrong. */
export class Unprocessable extends Error {
  override readonly name = 'Unprocessable'
  readonly flaws: readonly Flaw[]

  constructor(flaws: readonly Flaw[]) {
    super(flaws.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; '))
    this.flaws = flaws
  }

  static fromIssues(place: 'body' | 'query', issues: readonly z.core.$ZodIssue[], given: unknown) {
    return new Unprocessable(issues.flatMap((issue) => flawsOf(issue, given, [place])))
  }
}

type Place = readonly (string | number)[]

function flawsOf(issue: z.core.$ZodIssue, given: unknown, place: Place): readonly Flaw[] {
  const path = issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part))
  const input = path.reduce<unknown>((value, part) => inside(value, part), given)
  const loc = [...place, ...path]
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      type: 'extra_forbidden',
      loc: [...loc, key],
      msg: 'Extra inputs are not permitted',
      input: inside(input, key),
    }))
  }
  const branch = issue.code === 'invalid_union' && likeliest(issue.errors)
  if (branch) return branch.flatMap((nested) => flawsOf(nested, input, loc))
  return [{ loc, input, ...wordsFor(issue, input) }]
}

const inside = (value: unknown, part: string | number): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string | number, unknown>)[part] : undefined

/** The alternative that was meant: the one that found the least wrong, and not with its kind. */
const likeliest = (errors: readonly (readonly z.core.$ZodIssue[])[]) =>
  errors
    .filter(
      (issues) => issues.length > 0 && !issues.some(({ path }) => path.length === 0 || path[0] === 'type'),
    )
    .toSorted((one, other) => one.length - other.length)[0]

function wordsFor(issue: z.core.$ZodIssue, input: unknown): Pick<Flaw, 'type' | 'msg'> {
  if (input === undefined && issue.code !== 'custom') return { type: 'missing', msg: 'Field required' }
  if (issue.code === 'invalid_type') return typeWords(issue, input)
  if (issue.code === 'invalid_value') return { type: 'enum', msg: `Input should be ${listed(issue.values)}` }
  if (issue.code === 'too_small') {
    return { type: `${boundOf(issue.origin)}_too_small`, msg: `Input should be at least ${issue.minimum}` }
  }
  if (issue.code === 'too_big') {
    return { type: `${boundOf(issue.origin)}_too_large`, msg: `Input should be at most ${issue.maximum}` }
  }
  if (issue.code === 'invalid_format') {
    return { type: 'string_pattern_mismatch', msg: `String should match ${issue.pattern ?? issue.format}` }
  }
  return { type: 'value_error', msg: `Value error, ${issue.message}` }
}

/** What is wrong on purpose carries its own words. */
function typeWords(issue: z.core.$ZodIssueInvalidType, input: unknown): Pick<Flaw, 'type' | 'msg'> {
  if (!issue.message.startsWith('Invalid input')) return { type: 'value_error', msg: issue.message }
  const expected = TYPE_NAMES[issue.expected] ?? issue.expected
  return { type: `${expected}_type`, msg: `Input should be a valid ${expected}, not ${nameOf(input)}` }
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  boolean: 'bool',
  int: 'int',
  array: 'list',
  object: 'dict',
  record: 'dict',
}

const BOUND_OF: Readonly<Record<string, string>> = { string: 'string', array: 'list', set: 'list' }

const boundOf = (origin: string): string => BOUND_OF[origin] ?? 'value'

const nameOf = (value: unknown): string => {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'list' : typeof value
}

function listed(values: readonly unknown[]): string {
  const quoted = values.map((value) => `'${String(value)}'`)
  const last = quoted.at(-1) ?? ''
  return quoted.length < 2 ? last : `${quoted.slice(0, -1).join(', ')} or ${last}`
}
