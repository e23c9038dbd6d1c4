import { FsScopeTier } from '@parley/contracts'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { parseOptions } from './command.ts'

const Options = z.object({
  fsScope: FsScopeTier.optional(),
  title: z.string().min(1).optional(),
  limit: z.string().regex(/^\d+$/, 'must be a whole number').optional(),
})

test.each([
  [
    { fsScope: 'proj' },
    'The option --fs-scope must be one of sandboxed, project, full; did you mean "project"?',
  ],
  [{ fsScope: 'xyzzy' }, 'The option --fs-scope must be one of sandboxed, project, full.'],
  [{ title: '' }, 'The option --title must not be empty.'],
  [{ limit: 'x' }, 'The option --limit must be a whole number.'],
])('an error names the option as typed, with a suggestion: %j', (given, message) => {
  expect(() => parseOptions(Options, given)).toThrow(message)
})
