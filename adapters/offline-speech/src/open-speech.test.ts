import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import {
  createVoiceActivity,
  decodeSound,
  encodeSound,
  isSoundFormat,
  joinSamples,
  SOUND_FORMATS,
  type Sound,
} from '@parley/speech'
import { afterAll, expect, test } from 'vitest'
import { openSpeech } from './open-speech.ts'
import { computeWordErrorRate } from './testing/word-error-rate.ts'

const run = promisify(execFile)
const speech = openSpeech({
  onError(error) {
    throw error
  },
})
const { signal } = new AbortController()
const say = (sentence: string, style = {}) => speech.synthesiser.synthesise(sentence, style, signal)
const hear = (sound: Sound) => speech.recogniser.recognise(sound, signal)

afterAll(() => speech.close())

const SENTENCES = [
  'What time does the library open on Saturday?',
  'I would like to book a table for four people at seven.',
  'My father was a carpenter and my mother taught mathematics.',
  'Please send the invoice to the address in the letter.',
  'She moved to the city when she was twenty years old.',
  'The weather tomorrow will be cold with a little rain in the evening.',
  'Can you tell me more about the garden behind the house?',
]

test('[X2] synthesised speech is recognised', async () => {
  const heard = await Promise.all(SENTENCES.map(async (sentence) => hear(await say(sentence))))
  expect(heard.join('\n')).toSatisfy(() => computeWordErrorRate(SENTENCES.join(' '), heard.join(' ')) <= 0.2)
})

test.each(Object.keys(SOUND_FORMATS).filter((name) => isSoundFormat(name)))(
  '[X2] speech is recognised in %s',
  async (format) => {
    const said = await say('Where is the nearest railway station?')
    const heard = await hear(decodeSound(encodeSound(said, format), format))
    expect(heard).toMatch(/where is the nearest railway station/iu)
  },
)

/** The same noise in each run, because some noises change the recognised words. */
let noiseState = 1
function nextNoise(): number {
  noiseState = (noiseState * 48_271) % 2_147_483_647
  return noiseState / 2_147_483_647
}

test('[X2] an utterance is detected in telephone noise, and recognised', async () => {
  const said = joinSamples([quiet(1), (await say('Please call me back tomorrow morning.')).samples, quiet(1)])
  const noisy = said.map((sample) => sample + 400 * (nextNoise() - 0.5))
  const line = decodeSound(encodeSound({ samples: noisy, sampleRate: 16_000 }, 'ulaw_8000'), 'ulaw_8000')
  const events = createVoiceActivity(line.sampleRate).add(line.samples)
  expect(events.map(({ kind }) => kind)).toEqual(['speech-started', 'utterance'])
  const [, event] = events
  if (event?.kind !== 'utterance') throw new Error('No utterance was found.')
  expect(await hear(event.sound)).toMatch(/call me back tomorrow morning/iu)
})

const NAMES = ['Edda', 'Karrowby', 'Vadso', 'Tromso', 'Bergen', 'Ottery', 'Winter', 'Reed', 'Wren']

test.each<[string, string]>([
  ['Where does Edda Karrowby live?', 'Edda Karrowby'],
  ['When did you move to Vadso?', 'Vadso'],
  ['Did you live in Tromso or in Bergen?', 'Tromso'],
])('[X2] %j contains %s only with hints', async (sentence, name) => {
  const said = await say(sentence)
  expect(await hear(said)).not.toContain(name)
  expect(await speech.recogniser.recognise(said, signal, NAMES)).toContain(name)
})

test('[X2] hints do not change sentences without those names', async () => {
  const plain = [...SENTENCES, 'Did you read the letter from your mother?', 'She ran home on a winter day.']
  for (const sentence of plain) {
    const said = await say(sentence)
    expect(await speech.recogniser.recognise(said, signal, NAMES)).toBe(await hear(said))
  }
})

test('[X2] a long utterance is recognised to its end', async () => {
  const said = await Promise.all(SENTENCES.map((sentence) => say(sentence)))
  const long = { samples: joinSamples(said.map(({ samples }) => samples)), sampleRate: 16_000 }
  const heard = await hear(long)
  expect(heard).toSatisfy(() => computeWordErrorRate(SENTENCES.join(' '), heard) <= 0.2)
})

test.each<[string, Sound]>([
  ['no sound', { samples: new Int16Array(), sampleRate: 16_000 }],
  ['a moment', { samples: noise(0.05), sampleRate: 16_000 }],
  ['silence', { samples: quiet(3), sampleRate: 16_000 }],
])('[X2] nothing is recognised in %s', async (_, sound) => {
  expect(await hear(sound)).toBe('')
})

test.each(['', ' \n\t', '😀 🎉', '…', '日本語', '\0'])('[X2] %j has nothing to speak', async (text) => {
  expect((await say(text)).samples).toHaveLength(0)
})

test.each(['-o', '-t', '$(reboot)', '"; ls', 'a\0-o x', 'Größe, naïve façade: 100% of €5 & more'])(
  '[X2] %j is spoken as text',
  async (text) => {
    const { samples, sampleRate } = await say(text)
    expect(samples.length / sampleRate).toBeGreaterThan(0.3)
  },
)

test('[X2] speed and voice change the sound, and an unknown voice becomes the default', async () => {
  const sentence = 'The garden is behind the house.'
  const usual = (await say(sentence)).samples
  expect((await say(sentence, { speed: 1.2 })).samples.length).toBeLessThan(usual.length * 0.9)
  expect((await say(sentence, { speed: 0.7 })).samples.length).toBeGreaterThan(usual.length * 1.2)
  expect((await say(sentence, { voiceId: 'rms' })).samples).not.toEqual(usual)
  for (const voiceId of ['slt', 'nobody', 'toString', '-o'])
    expect((await say(sentence, { voiceId })).samples).toEqual(usual)
})

test('[X2] an endless text is cut', async () => {
  const { samples, sampleRate } = await say('word '.repeat(5_000))
  expect(samples.length / sampleRate).toBeLessThan(120)
})

test('[X2] after closing the process exits, without unexpected output', async () => {
  const script = `
    const { openSpeech } = await import(${JSON.stringify(import.meta.resolve('./open-speech.ts'))})
    const speech = openSpeech({ onError: (error) => console.error(error) })
    const { signal } = new AbortController()
    const said = await speech.synthesiser.synthesise('Hello.', {}, signal)
    const heard = speech.recogniser.recognise(said, signal).catch((error) => error.code)
    await speech.close()
    console.log(await heard)
  `
  const { stdout, stderr } = await run(process.execPath, ['--input-type=module', '--eval', script])
  expect({ stdout, stderr }).toEqual({ stdout: 'cancelled\n', stderr: '' })
})

test('[X2] a part of a larger sound is recognised alone', async () => {
  const { samples } = await say('Good morning to all of you.')
  const larger = joinSamples([noise(2), samples, noise(2)])
  const part = { samples: larger.subarray(32_000, 32_000 + samples.length), sampleRate: 16_000 }
  expect(await hear(part)).toMatch(/good morning to all of you/iu)
})

function quiet(seconds: number): Int16Array {
  return new Int16Array(seconds * 16_000)
}

function noise(seconds: number): Int16Array {
  return quiet(seconds).map(() => 8_000 * (Math.random() - 0.5))
}
