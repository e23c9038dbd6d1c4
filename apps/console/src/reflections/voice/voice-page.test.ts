import { expect, test } from 'vitest'
import type { ReflectionVoice } from '@parley/contracts'
import { type ChosenVoice, toChosenVoice, describeVoice, toVoiceChange } from './voice-page.tsx'

test.each<[ReflectionVoice | undefined, string]>([
  [undefined, 'Voice calls are not available yet: no voice is chosen.'],
  [
    { voiceId: 'v1', kind: 'clone', consent: false },
    'Voice calls are not available yet: the person whose voice it is has not consented.',
  ],
  [
    { voiceId: 'v1', kind: 'clone', consent: false, isUnlisted: true },
    'Voice calls are not available yet: the voice provider has no such voice, and the person whose voice it is has not consented.',
  ],
  [{ voiceId: 'v1', kind: 'clone', consent: true }, 'Voice ready: v1, a cloned voice used with consent.'],
  [{ voiceId: 'slt', kind: 'stock', consent: false }, 'Voice ready: slt, a stock voice.'],
])('the status of %j is: %s', (voice, expected) => expect(describeVoice(voice)).toBe(expected))

const SLT: ReflectionVoice = { voiceId: 'slt', kind: 'stock', consent: false }

test.each<[string, ChosenVoice, ReflectionVoice | undefined, object | undefined]>([
  [
    'a stock voice',
    { kind: 'stock', voiceId: 'rms' },
    SLT,
    { voice: { voiceId: 'rms', kind: 'stock', consent: false } },
  ],
  ['the same voice, which is no change', toChosenVoice(SLT), SLT, undefined],
  [
    'a cloned voice with consent',
    { kind: 'clone', voiceId: ' v1 ', consent: true },
    undefined,
    { voice: { voiceId: 'v1', kind: 'clone', consent: true } },
  ],
  [
    'a cloned voice without an ID, which is incomplete',
    { kind: 'clone', voiceId: ' ', consent: true },
    undefined,
    undefined,
  ],
  [
    'the same voice, which the provider did not list before',
    { kind: 'stock', voiceId: 'slt' },
    { ...SLT, isUnlisted: true },
    { voice: SLT },
  ],
  ['a removed voice', { kind: 'none' }, SLT, { voice: null }],
  ['still no voice', { kind: 'none' }, undefined, undefined],
])('the change to save: %s', (_, chosen, now, expected) =>
  expect(toVoiceChange(chosen, now)).toEqual(expected),
)
