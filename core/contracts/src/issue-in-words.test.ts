import { expect, test } from 'vitest'
import { z } from 'zod'
import { issueInWords } from './issue-in-words.ts'

test.each<[string, z.ZodType, unknown, string]>([
  ['what is not there', z.object({ text: z.string() }), {}, 'is missing'],
  ['another type', z.string(), 7, 'must be text, not a number'],
  ['a list for an object', z.object({}), [], 'must be an object, not a list'],
  ['words for a number', z.coerce.number(), 'abc', 'must be a number'],
  ['a number without end', z.coerce.number(), '1e400', 'must be a number'],
  ['a part of a number', z.int(), 1.5, 'must be a whole number'],
  ['a wrong choice', z.enum(['allow', 'refuse']), 'maybe', 'must be one of "allow", "refuse"'],
  ['another constant', z.literal(1), 2, 'must be 1'],
  ['nothing', z.string().min(1), '', 'must not be empty'],
  ['too few', z.string().min(4), 'abc', 'must have at least 4 characters'],
  ['too many', z.array(z.string()).max(1), ['a', 'b'], 'must have at most 1 item'],
  ['too much', z.number().max(2), 3, 'must be at most 2'],
  ['not enough', z.number().positive(), 0, 'must be more than 0'],
  ['exactly so many', z.string().length(2), 'a', 'must have exactly 2 characters'],
  ['a form that has a name', z.base64(), '§', 'must be base64'],
  ['a form that has none', z.string().regex(/^a$/), 'b', 'must be in another form'],
  ['a key that nobody knows', z.strictObject({}), { a: 1 }, 'unknown key "a"'],
  [
    'a name',
    z.record(z.string().max(1), z.int()),
    { ab: 1 },
    'has a name that must have at most 1 character',
  ],
  ['no variant', z.union([z.string(), z.int()]), {}, 'has none of the forms that it may have'],
  ['what we say ourselves', z.string().regex(/^a$/, 'the letter a'), 'b', 'the letter a'],
])('%s', (_, schema, given, words) => {
  expect(schema.safeParse(given).error?.issues.map(issueInWords)).toEqual([words])
})
