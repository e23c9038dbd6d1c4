import fc from 'fast-check'
import { expect, test } from 'vitest'
import { joinSamples } from '../sound/resample.ts'
import { createVoiceActivity, type VoiceActivityRules, type VoiceEvent } from './voice-activity.ts'

const RATE = 16_000

/** A kind of sound and its length in milliseconds. The noise is the same in every run. */
type SoundPart = readonly ['hush' | 'breath' | 'vowel' | 'speech' | 'knock' | 'fan', number]

test.each<[string, readonly SoundPart[], readonly string[]]>([
  ['silence gives no events', [['hush', 3_000]], []],
  [
    'speech and a pause',
    [
      ['hush', 500],
      ['speech', 800],
      ['hush', 800],
    ],
    ['speech-started', 'utterance pause'],
  ],
  [
    'speech from the first sample on',
    [
      ['speech', 800],
      ['hush', 800],
    ],
    ['speech-started', 'utterance pause'],
  ],
  [
    'speech without an end yet',
    [
      ['hush', 500],
      ['speech', 800],
    ],
    ['speech-started'],
  ],
  [
    'a pause for breath does not end it',
    [
      ['speech', 600],
      ['hush', 400],
      ['speech', 600],
      ['hush', 800],
    ],
    ['speech-started', 'utterance pause'],
  ],
  [
    'two utterances',
    [
      ['speech', 600],
      ['hush', 900],
      ['speech', 600],
      ['hush', 900],
    ],
    ['speech-started', 'utterance pause', 'speech-started', 'utterance pause'],
  ],
  [
    'a knock is not speech',
    [
      ['hush', 500],
      ['knock', 60],
      ['hush', 1_000],
    ],
    [],
  ],
  ['a fan is not speech', [['fan', 5_000]], []],
  [
    'a fan that is switched on ends as noise',
    [
      ['hush', 500],
      ['fan', 5_000],
    ],
    ['speech-started', 'utterance pause'],
  ],
  [
    'speech above a fan',
    [
      ['fan', 3_000],
      ['speech', 800],
      ['fan', 1_000],
    ],
    ['speech-started', 'utterance pause'],
  ],
])('[X2] %s', (_, parts, expected) => {
  expect(listEvents(parts).map(formatEvent)).toEqual(expected)
})

test.each<[string, readonly SoundPart[]]>([
  [
    'speech',
    [
      ['hush', 3_000],
      ['speech', 1_000],
      ['hush', 3_000],
    ],
  ],
  [
    'speech that begins softly',
    [
      ['hush', 3_000],
      ['breath', 200],
      ['speech', 1_000],
      ['hush', 3_000],
    ],
  ],
  [
    'speech that begins loudly, at once',
    [
      ['vowel', 500],
      ['speech', 1_000],
      ['hush', 3_000],
    ],
  ],
])('[X2] the utterance contains all of the %s and little silence', (_, parts) => {
  const [, event] = listEvents(parts)
  if (event?.kind !== 'utterance') throw new Error('No utterance was found.')
  const { samples } = event.sound
  expect(samples.filter(isSpoken)).toEqual(createSamples(parts).filter(isSpoken))
  expect(samples.length).toBeLessThan(1.7 * RATE)
})

test.each([400, 1_200])('[X2] the pause that ends an utterance is configured: %i ms', (pauseMs) => {
  const speech: SoundPart = ['speech', 500]
  expect(listEvents([speech, ['hush', pauseMs - 100]], { pauseMs }).map(formatEvent)).toEqual([
    'speech-started',
  ])
  expect(listEvents([speech, ['hush', pauseMs + 100]], { pauseMs }).map(formatEvent)).toContain(
    'utterance pause',
  )
})

test('[X2] the end of the stream completes the utterance in progress, once', () => {
  const activity = createVoiceActivity(RATE)
  activity.add(createSamples([['speech', 500]]))
  expect(activity.end().map(formatEvent)).toEqual(['utterance pause'])
  expect(activity.end()).toEqual([])
})

test('[X2] the events do not depend on how the sound is split', () => {
  const parts: readonly SoundPart[] = [
    ['hush', 300],
    ['speech', 700],
    ['hush', 900],
    ['speech', 300],
    ['hush', 700],
  ]
  const sound = createSamples(parts)
  const whole = createVoiceActivity(RATE).add(sound)
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 9_000 }), { minLength: 1, maxLength: 10 }), (lengths) => {
      const activity = createVoiceActivity(RATE)
      const events: VoiceEvent[] = []
      for (let at = 0, turn = 0; at < sound.length; turn++) {
        const length = lengths[turn % lengths.length] ?? 1
        events.push(...activity.add(sound.subarray(at, at + Math.max(length, 100))))
        at += Math.max(length, 100)
      }
      expect(events).toEqual(whole)
    }),
    { numRuns: 20 },
  )
})

test('[X2] endless speech is cut without losing any of it', () => {
  const events = listEvents(
    [
      ['speech', 2_500],
      ['hush', 800],
    ],
    { maxUtteranceMs: 1_000 },
  )
  expect(events.map(formatEvent)).toEqual([
    'speech-started',
    'utterance cut',
    'utterance cut',
    'utterance pause',
  ])
  const said = joinSamples(
    events.flatMap((event) => (event.kind === 'utterance' ? [event.sound.samples] : [])),
  )
  const speech = createSamples([['speech', 2_500]])
  expect(said.subarray(0, speech.length)).toEqual(speech)
})

function listEvents(parts: readonly SoundPart[], rules?: Partial<VoiceActivityRules>): readonly VoiceEvent[] {
  return createVoiceActivity(RATE, rules).add(createSamples(parts))
}

const formatEvent = (event: VoiceEvent) =>
  event.kind === 'utterance' ? `utterance ${event.end}` : event.kind

const LOUDNESS: Record<SoundPart[0], (second: number) => number> = {
  hush: () => 10,
  breath: () => 150,
  vowel: () => 12_000,
  fan: () => 400,
  knock: () => 12_000,
  // Syllables, five a second.
  speech: (second) => 40 + 12_000 * Math.sin(5 * Math.PI * second) ** 2,
}

function createSamples(parts: readonly SoundPart[]): Int16Array {
  let seed = 1
  const noise = () => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed / 1_073_741_823.5 - 1
  }
  return joinSamples(
    parts.map(([kind, milliseconds]) =>
      Int16Array.from(
        { length: (RATE * milliseconds) / 1_000 },
        (_, index) => LOUDNESS[kind](index / RATE) * noise(),
      ),
    ),
  )
}

const isSpoken = (sample: number) => Math.abs(sample) > 10
