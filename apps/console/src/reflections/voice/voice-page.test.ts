import { expect, test } from 'vitest'
import type { ReflectionVoice } from '@parley/contracts'
import { type ChosenVoice, chosenOf, voiceInWords, voiceWanted } from './voice-page.tsx'

test.each<[ReflectionVoice | undefined, string]>([
  [undefined, 'It cannot be spoken with yet: no voice is chosen.'],
  [
    { voiceId: 'v1', kind: 'clone', consent: false },
    'It cannot be spoken with yet: the person whose voice it is has not consented.',
  ],
  [
    { voiceId: 'v1', kind: 'clone', consent: false, isUnlisted: true },
    'It cannot be spoken with yet: the voice provider has no such voice, and the person whose voice it is has not consented.',
  ],
  [
    { voiceId: 'v1', kind: 'clone', consent: true },
    'It speaks with the voice v1, made from a person’s, with their consent.',
  ],
  [
    { voiceId: 'slt', kind: 'stock', consent: false },
    'It speaks with the voice slt, one of the provider’s own.',
  ],
])('the gate says of %j: %s', (voice, expected) => expect(voiceInWords(voice)).toBe(expected))

const SLT: ReflectionVoice = { voiceId: 'slt', kind: 'stock', consent: false }

test.each<[string, ChosenVoice, ReflectionVoice | undefined, object | undefined]>([
  [
    'a voice of the provider’s',
    { kind: 'stock', voiceId: 'rms' },
    SLT,
    { voice: { voiceId: 'rms', kind: 'stock', consent: false } },
  ],
  ['the same voice, which need not be saved', chosenOf(SLT), SLT, undefined],
  [
    'a person’s voice with their word',
    { kind: 'clone', voiceId: ' v1 ', consent: true },
    undefined,
    { voice: { voiceId: 'v1', kind: 'clone', consent: true } },
  ],
  [
    'a person’s voice without an id, which is not enough',
    { kind: 'clone', voiceId: ' ', consent: true },
    undefined,
    undefined,
  ],
  [
    'the same voice, which the provider did not have before',
    { kind: 'stock', voiceId: 'slt' },
    { ...SLT, isUnlisted: true },
    { voice: SLT },
  ],
  ['no voice any more', { kind: 'none' }, SLT, { voice: null }],
  ['still no voice', { kind: 'none' }, undefined, undefined],
])('%s', (_, chosen, now, expected) => expect(voiceWanted(chosen, now)).toEqual(expected))
