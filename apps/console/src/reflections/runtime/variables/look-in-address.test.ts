import { expect, test } from 'vitest'
import { lookInAddress } from './look-in-address.ts'
import { lookWanted } from './variables-page.tsx'

test.each<[string, Readonly<Record<string, unknown>>, object]>([
  ['nothing said is as usual', {}, {}],
  [
    'what there is is taken',
    { mode: 'share', role: 'guest', budget: 500 },
    { mode: 'share', role: 'guest', budget: 500 },
  ],
  ['what there is not is left out', { mode: 'x', role: 7, surface: 'public', link: 'x', budget: -1 }, {}],
  ['the whole budget need not be said', { budget: 10_000 }, {}],
  ['a switch is on or not said', { offRecord: true, agent: 'own' }, { offRecord: true, agent: 'own' }],
])('%s', (_, said, expected) => {
  expect(lookInAddress(said)).toEqual(expected)
})

test.each<[string, Parameters<typeof lookWanted>[0], object]>([
  ['a spoken private session is the usual one', {}, { audience: 'private', channel: 'voice' }],
  [
    'the public has no surface and no agent to choose',
    { audience: 'public', surface: 'memory', agent: 'generic', link: 'lnk_1' },
    { audience: 'public', channel: 'voice', linkId: 'lnk_1' },
  ],
  [
    'in private nobody comes by a link, and in writing there is one agent',
    { channel: 'text', agent: 'generic', link: 'lnk_1', surface: 'memory' },
    { audience: 'private', channel: 'text', surface: 'memory' },
  ],
])('%s', (_, look, expected) => {
  expect(lookWanted(look)).toEqual(expected)
})
