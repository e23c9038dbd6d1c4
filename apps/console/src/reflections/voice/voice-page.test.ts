import type { ReflectionVoice } from '@parley/contracts'
import { expect, test } from 'vitest'
import { voiceInWords } from './voice-page.tsx'

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
