import type { Json } from '@parley/contracts'
import { createOfflineModel } from '@parley/llm'
import { expect, test } from 'vitest'
import type { ParameterCheck } from '../agents/agent-test.ts'
import { checkParameters } from './check-parameters.ts'
import { createJudge } from './judge.ts'

const { signal } = new AbortController()
const judge = createJudge(createOfflineModel())

const call: Json = { city: 'Paris', days: 3, guest: { name: 'Ada', tags: ['vip'] }, none: null }

test.each<[string, ParameterCheck, 'success' | 'failure' | 'unknown']>([
  ['any value', { path: 'city', eval: { type: 'anything' } }, 'success'],
  ['a missing value', { path: 'country', eval: { type: 'anything' } }, 'failure'],
  ['an inherited property', { path: 'toString', eval: { type: 'anything' } }, 'failure'],
  ['the exact text', { path: 'city', eval: { type: 'exact', expected_value: 'Paris' } }, 'success'],
  ['another text', { path: 'city', eval: { type: 'exact', expected_value: 'Rome' } }, 'failure'],
  ['a number as text', { path: 'days', eval: { type: 'exact', expected_value: '3' } }, 'success'],
  ['a path with dots', { path: 'guest.name', eval: { type: 'exact', expected_value: 'Ada' } }, 'success'],
  [
    'a path from the root',
    { path: '$.guest.tags.0', eval: { type: 'exact', expected_value: 'vip' } },
    'success',
  ],
  ['a path into a text', { path: 'city.name', eval: { type: 'anything' } }, 'failure'],
  ['a matching pattern', { path: 'city', eval: { type: 'regex', pattern: '^P.*s$' } }, 'success'],
  ['another pattern', { path: 'city', eval: { type: 'regex', pattern: '^R' } }, 'failure'],
  ['an invalid pattern', { path: 'city', eval: { type: 'regex', pattern: '(' } }, 'failure'],
  ['a matching description', { path: 'city', eval: { type: 'llm', description: '"Paris"' } }, 'success'],
  ['another description', { path: 'city', eval: { type: 'llm', description: '"Rome"' } }, 'failure'],
  [
    'one that words cannot judge',
    { path: 'city', eval: { type: 'llm', description: 'a capital' } },
    'unknown',
  ],
])('[P14] %s', async (_, check, result) => {
  expect(await checkParameters([check], call, judge, signal)).toMatchObject({ result })
})

test('[P14] all checks must pass', async () => {
  const holds: ParameterCheck = { path: 'city', eval: { type: 'anything' } }
  const breaks: ParameterCheck = { path: 'country', eval: { type: 'anything' } }
  expect(await checkParameters([], call, judge, signal)).toMatchObject({ result: 'success' })
  expect(await checkParameters([holds, breaks], call, judge, signal)).toMatchObject({ result: 'failure' })
})

test('[P14] a pattern that takes too long fails without blocking the process', async () => {
  const check: ParameterCheck = { path: 'city', eval: { type: 'regex', pattern: '^(a+)+$' } }
  let ticks = 0
  const ticking = setInterval(() => (ticks += 1), 5)
  const verdict = await checkParameters([check], { city: `${'a'.repeat(34)}!` }, judge, signal)
  clearInterval(ticking)
  expect(verdict).toEqual({ result: 'failure', reason: expect.stringContaining('longer than a second') })
  expect(ticks).toBeGreaterThan(10)
})
