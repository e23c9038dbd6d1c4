import { openSpeech } from '@parley/offline-speech'
import { expect, onTestFinished, test } from 'vitest'
import { startTestVoice } from '../testing/test-voice.ts'
import { createVendorClient } from '../testing/vendor-client.ts'
import { GARDEN_QUESTIONS, createGardenAgent } from './garden-agent.fixture.ts'
import { openSpokenCall } from './spoken-call.fixture.ts'

const PATIENCE = { timeout: 60_000, interval: 500 }
const { signal } = new AbortController()

test(
  '[X2] elevenlabs-js: a spoken question gets a spoken answer from the sources',
  {
    timeout: 180_000,
  },
  async () => {
    const speech = openSpeech({ onError: () => undefined })
    const voice = await startTestVoice({ speech })
    const garden = await createGardenAgent(voice)
    onTestFinished(garden.stop)
    const { question, answer } = GARDEN_QUESTIONS[0]
    const asked = await speech.synthesiser.synthesise(question, {}, signal)

    const call = await openSpokenCall(voice, garden.agentId)
    await call.speak(asked)
    await expect.poll(() => call.transcripts.join(), PATIENCE).toMatch(/pear tree/i)
    await expect
      .poll(async () => (await speech.recogniser.recognise(call.heard(), signal)).toLowerCase(), PATIENCE)
      .toMatch(answer)
    call.end()

    const { conversations } = createVendorClient(voice).conversationalAi
    await expect.poll(async () => (await conversations.get(call.id())).status, PATIENCE).toBe('done')
    expect(await conversations.get(call.id())).toMatchObject({
      hasAudio: true,
      hasUserAudio: true,
      hasResponseAudio: true,
      transcript: [
        { role: 'user', message: expect.stringMatching(/pear tree/i) },
        { role: 'agent', toolCalls: [{ toolName: 'retrieve_context' }] },
        { role: 'agent' },
      ],
    })
    // Sound is sent ahead of playback, so a client that hangs up now has not heard all of it.
    const last = (await conversations.get(call.id())).transcript.at(-1)
    expect(last?.originalMessage ?? last?.message).toMatch(/sister/)
  },
)
