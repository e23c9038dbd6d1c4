import type { ProviderVoice } from '@parley/contracts'
import { expect, test } from 'vitest'
import { settleVoiceKind } from './listed-voice.ts'

const LISTED: readonly ProviderVoice[] = [
  { voiceId: 'premade', name: 'Premade', kind: 'stock' },
  { voiceId: 'cloned', name: 'Cloned', kind: 'clone' },
]

test.each<[string, Parameters<typeof settleVoiceKind>[0], 'stock' | 'clone' | undefined]>([
  ['a listed stock voice needs no claim', { voiceId: 'premade' }, 'stock'],
  ['a listed stock voice may be claimed as stock', { voiceId: 'premade', kind: 'stock' }, 'stock'],
  ['a listed clone never counts as stock', { voiceId: 'cloned', kind: 'stock' }, 'clone'],
  ['a listed clone is a clone without a claim', { voiceId: 'cloned' }, 'clone'],
  ['a claimed clone is a clone', { voiceId: 'premade', kind: 'clone' }, 'clone'],
  ['an unlisted voice is what it is claimed to be', { voiceId: 'made-up', kind: 'stock' }, 'stock'],
  ['an unlisted voice without a claim has no kind', { voiceId: 'made-up', consent: true }, undefined],
])('[V11] %s', (_, chosen, kind) => {
  expect(settleVoiceKind(chosen, LISTED)).toEqual({ ...chosen, ...(kind && { kind }) })
})
