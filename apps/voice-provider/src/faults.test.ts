import { expect, test } from 'vitest'
import { createFaults, FaultRule } from './faults.ts'

test.each<[string, FaultRule, string, boolean]>([
  [
    'a call by its method and path',
    { match: 'POST /v1/convai/agents*' },
    'POST /v1/convai/agents/create',
    true,
  ],
  ['another method', { match: 'POST /v1/convai/agents*' }, 'GET /v1/convai/agents', false],
  ['a conversation', { match: 'conversation' }, 'conversation', true],
  ['a call about conversations', { match: 'conversation' }, 'GET /v1/convai/conversations', false],
  ['any call', { match: '* *' }, 'GET /v1/user', true],
  ['any call, but no webhook', { match: '* *' }, 'webhook', false],
  ['the whole of a path', { match: 'GET /v1/user' }, 'GET /v1/user/subscription', false],
  ['a part in the middle', { match: 'GET /v1/*/agents/*' }, 'GET /v1/convai/agents/agent_1', true],
  ['parts that would overlap', { match: 'GET /v1/a*a' }, 'GET /v1/a', false],
  ['a dot as a dot', { match: 'GET /v1/.*' }, 'GET /v1/user', false],
  ['a webhook', { match: 'webhook' }, 'webhook', true],
])('[X2] %s', (_, rule, what, applies) => {
  const faults = createFaults()
  faults.set([rule])
  expect(faults.take(what)).toEqual(applies ? rule : undefined)
})

test('[X2] a rule applies as often as its limit, then the next one applies', () => {
  const faults = createFaults()
  faults.set([
    { match: 'webhook', times: 2 },
    { match: 'webhook', webhookTwice: true },
  ])
  expect(faults.take('webhook')?.times).toBe(2)
  expect(faults.list()[0]).toEqual({ match: 'webhook', times: 1 })
  expect(faults.take('webhook')?.times).toBe(1)
  expect(faults.take('webhook')).toEqual({ match: 'webhook', webhookTwice: true })
  expect(faults.list()).toHaveLength(1)
})

test.each(['^POST /v1', '.', 'POST', 'conversations', '^(a+)+$'])('[X2] %s is not a valid match', (match) => {
  expect(FaultRule.safeParse({ match }).success).toBe(false)
})

test('[X2] a rule with many stars is fast', () => {
  const faults = createFaults()
  faults.set([{ match: `GET /${'*a'.repeat(200)}*b` }])
  expect(faults.take(`GET /${'a'.repeat(8_000)}`)).toBeUndefined()
})
