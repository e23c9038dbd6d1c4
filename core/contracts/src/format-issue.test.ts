import { expect, test } from 'vitest'
import { z } from 'zod'
import { formatIssue } from './format-issue.ts'

test.each<[string, z.ZodType, unknown, string]>([
  ['a missing value', z.object({ text: z.string() }), {}, 'is missing'],
  ['another type', z.string(), 7, 'must be text, not a number'],
  ['a list for an object', z.object({}), [], 'must be an object, not a list'],
  ['text for a number', z.coerce.number(), 'abc', 'must be a number'],
  ['an infinite number', z.coerce.number(), '1e400', 'must be a number'],
  ['a fraction', z.int(), 1.5, 'must be a whole number'],
  ['a wrong choice', z.enum(['allow', 'refuse']), 'maybe', 'must be one of "allow", "refuse"'],
  ['another constant', z.literal(1), 2, 'must be 1'],
  ['an empty text', z.string().min(1), '', 'must not be empty'],
  ['too few characters', z.string().min(4), 'abc', 'must have at least 4 characters'],
  ['too many items', z.array(z.string()).max(1), ['a', 'b'], 'must have at most 1 item'],
  ['a number that is too large', z.number().max(2), 3, 'must be at most 2'],
  ['a number that is too small', z.number().positive(), 0, 'must be more than 0'],
  ['an exact length', z.string().length(2), 'a', 'must have exactly 2 characters'],
  ['a named format', z.base64(), '§', 'must be base64'],
  ['an unnamed format', z.string().regex(/^a$/), 'b', 'must be in another format'],
  ['an unknown key', z.strictObject({}), { a: 1 }, 'unknown key "a"'],
  [
    'an invalid key',
    z.record(z.string().max(1), z.int()),
    { ab: 1 },
    'has a name that must have at most 1 character',
  ],
  ['no variant', z.union([z.string(), z.int()]), {}, 'has none of the allowed forms'],
  ['a message of our own', z.string().regex(/^a$/, 'the letter a'), 'b', 'the letter a'],
])('the message for %s', (_, schema, given, words) => {
  expect(schema.safeParse(given).error?.issues.map(formatIssue)).toEqual([words])
})
