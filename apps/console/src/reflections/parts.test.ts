import { expect, test } from 'vitest'
import { pageTitleAt } from './parts.ts'

test.each([
  ['/reflections/rfl_1', 'Overview'],
  ['/reflections/rfl_1/', 'Overview'],
  ['/reflections/rfl_1/facts', 'Facts'],
  ['/reflections/rfl_1/patches', 'Review'],
  ['/reflections/rfl_1/runtime', 'Runtime'],
  ['/reflections/rfl_1/runtime/variables', 'Variables'],
  ['/reflections/rfl_1/runtime/ledger', 'Version history'],
  ['/reflections/rfl_1/runtime/ledger/2', 'Version 2'],
  ['/reflections/rfl_1/sources/src_1', undefined],
])('the page at %s has the title %s', (pathname, title) => {
  expect(pageTitleAt(pathname)).toBe(title)
})
