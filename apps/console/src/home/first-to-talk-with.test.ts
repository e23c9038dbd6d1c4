import type { Reflection } from '@parley/contracts'
import { expect, test } from 'vitest'
import { firstToTalkWith } from './first-to-talk-with.ts'

type Listed = Pick<Reflection, 'voice'> & { readonly name: string }

const silent: Listed = { name: 'just made' }
const cloned: Listed = { name: 'not consented', voice: { voiceId: 'a', kind: 'clone', consent: false } }
const speaks: Listed = { name: 'speaks', voice: { voiceId: 'b', kind: 'stock', consent: false } }

test.each<[string, readonly Listed[], Listed | undefined]>([
  ['one that was just made does not take the place of one that speaks', [silent, cloned, speaks], speaks],
  ['where none speaks, the latest', [silent, cloned], silent],
  ['none', [], undefined],
])('%s', (_, reflections, expected) => {
  expect(firstToTalkWith(reflections)).toBe(expected)
})
