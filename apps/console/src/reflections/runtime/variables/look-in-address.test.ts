import { expect, test } from 'vitest'
import { lookInAddress } from './look-in-address.ts'
import { toVariablesQuery } from './variables-page.tsx'

test.each<[string, Readonly<Record<string, unknown>>, object]>([
  ['an empty URL means the defaults', {}, {}],
  [
    'valid values are kept',
    { mode: 'share', role: 'guest', budget: 500 },
    { mode: 'share', role: 'guest', budget: 500 },
  ],
  ['invalid values are ignored', { mode: 'x', role: 7, surface: 'public', link: 'x', budget: -1 }, {}],
  ['the full budget is the default', { budget: 10_000 }, {}],
  ['a switch is kept only if on', { offRecord: true, agent: 'own' }, { offRecord: true, agent: 'own' }],
])('%s', (_, params, expected) => {
  expect(lookInAddress(params)).toEqual(expected)
})

test.each<[string, Parameters<typeof toVariablesQuery>[0], object]>([
  ['the default is a private voice session', {}, { audience: 'private', channel: 'voice' }],
  [
    'a public session has no surface and agent to choose',
    { audience: 'public', surface: 'memory', agent: 'generic', link: 'lnk_1' },
    { audience: 'public', channel: 'voice', linkId: 'lnk_1' },
  ],
  [
    'a private session has no link, and a text session no choice of agent',
    { channel: 'text', agent: 'generic', link: 'lnk_1', surface: 'memory' },
    { audience: 'private', channel: 'text', surface: 'memory' },
  ],
])('%s', (_, look, expected) => {
  expect(toVariablesQuery(look)).toEqual(expected)
})
