import type { ProviderVoice } from '@parley/contracts'
import { expect, test } from 'vitest'
import { settleVoiceKind } from './settle-voice-kind.ts'

const LISTED: readonly ProviderVoice[] = [
  { voiceId: 'premade', name: 'Premade', kind: 'stock' },
  { voiceId: 'cloned', name: 'Cloned', kind: 'clone' },
]

test.each<[string, Parameters<typeof settleVoiceKind>[0], 'stock' | 'clone' | undefined]>([
  ['a listed one that is nobody’s needs no claim', { voiceId: 'premade' }, 'stock'],
  ['and may be claimed to be', { voiceId: 'premade', kind: 'stock' }, 'stock'],
  ['a listed clone never counts as nobody’s', { voiceId: 'cloned', kind: 'stock' }, 'clone'],
  ['nor where nothing is claimed', { voiceId: 'cloned' }, 'clone'],
  ['what is said to be somebody’s is', { voiceId: 'premade', kind: 'clone' }, 'clone'],
  ['one that is not listed is what it is claimed to be', { voiceId: 'made-up', kind: 'stock' }, 'stock'],
  ['and nothing where nothing is claimed', { voiceId: 'made-up', consent: true }, undefined],
])('[V11] %s', (_, chosen, kind) => {
  expect(settleVoiceKind(chosen, LISTED)).toEqual({ ...chosen, ...(kind && { kind }) })
})
