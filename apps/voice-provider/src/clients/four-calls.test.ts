import { openSpeech } from '@parley/offline-speech'
import { computeWordErrorRate } from '@parley/offline-speech/testing'
import type { Sound } from '@parley/speech'
import { expect, onTestFinished, test } from 'vitest'
import { startTestVoice } from '../testing/test-voice.ts'
import { GARDEN_QUESTIONS, createGardenAgent } from './garden-agent.fixture.ts'
import { openSpokenCall } from './spoken-call.fixture.ts'

const PATIENCE = { timeout: 60_000, interval: 500 }
const { signal } = new AbortController()

test(
  '[X2] four simultaneous telephone calls are all understood and answered',
  {
    timeout: 180_000,
  },
  async ({ annotate }) => {
    const speech = openSpeech({ onError: () => undefined })
    const voice = await startTestVoice({ speech })
    const garden = await createGardenAgent(voice, { format: 'ulaw_8000' })
    onTestFinished(garden.stop)
    await speech.warmUp()
    const asked = await Promise.all(
      GARDEN_QUESTIONS.map(async ({ question, answer }) => ({
        question,
        answer,
        sound: await speech.synthesiser.synthesise(question, {}, signal),
      })),
    )
    const began = performance.now()
    for (const { sound } of asked) await speech.recogniser.recognise(sound, signal)
    const recognitionMs = performance.now() - began

    const calls = await Promise.all(
      asked.map(async (given) => ({
        ...given,
        call: await openSpokenCall(voice, garden.agentId, 'ulaw_8000'),
      })),
    )
    const waited = await Promise.all(
      calls.map(async ({ call, sound }) => {
        await call.speak(sound)
        const spokenAt = performance.now()
        await call.nextSound()
        return performance.now() - spokenAt
      }),
    )
    for (const { call, answer } of calls) {
      const said = () => ({
        heard: call.transcripts.join(' '),
        answered: call.responses.join(' ').toLowerCase(),
      })
      await expect.poll(said, PATIENCE).toMatchObject({ answered: expect.stringMatching(answer) })
      const measureErrorRate = async () =>
        computeWordErrorRate(
          call.responses.join(' '),
          await speech.recogniser.recognise(call.heard(), signal),
        )
      await expect.poll(measureErrorRate, PATIENCE).toBeLessThanOrEqual(0.4)
    }
    for (const { call } of calls) call.end()

    const understood = calls.map(({ call }) => call.transcripts.join(' '))
    const errors = computeWordErrorRate(asked.map(({ question }) => question).join(' '), understood.join(' '))
    expect(understood.join('\n')).toSatisfy(() => errors <= 0.2)
    const seconds = asked.reduce((sum, { sound }) => sum + measureSeconds(sound), 0)
    await annotate(
      `from the end of speech to the first sound ${waited.map((ms) => Math.round(ms)).join(', ')} ms; ` +
        `word error rate ${errors.toFixed(2)}; recognition ${(recognitionMs / 1_000 / seconds).toFixed(2)} × real time`,
    )
  },
)

const measureSeconds = ({ samples, sampleRate }: Sound) => samples.length / sampleRate
