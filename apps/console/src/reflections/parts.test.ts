import { expect, test } from 'vitest'
import { partAt } from './parts.ts'

test.each([
  ['/reflections/rfl_1', 'Overview'],
  ['/reflections/rfl_1/', 'Overview'],
  ['/reflections/rfl_1/facts', 'Facts'],
  ['/reflections/rfl_1/runtime', 'Runtime'],
  ['/reflections/rfl_1/runtime/ledger', 'Ledger'],
  ['/reflections/rfl_1/runtime/ledger/2', 'Generation 2'],
  ['/reflections/rfl_1/sources/src_1', undefined],
])('%s is called %s', (pathname, part) => {
  expect(partAt(pathname)).toBe(part)
})
