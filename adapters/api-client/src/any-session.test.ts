import { type CallId, PlatformError } from '@parley/contracts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createFakeTools } from '@parley/engine/testing'
import { follow, open, POLLING, turnsOfMessages } from './follow.fixture.ts'

/** Random actions of the model, the server, the connection and the person. */
const action = fc.oneof(
  fc.constantFrom('text', 'reasoning', 'finish', 'fail'),
  fc.constantFrom('call plain', 'call careful', 'call repeatable', 'call slow'),
  fc.constantFrom('kill', 'cut', 'a moment passes'),
  fc.constantFrom('continue', 'resume', 'send', 'cancel', 'allow', 'refuse'),
)
type Action = typeof action extends fc.Arbitrary<infer T> ? T : never

const tools = createFakeTools({
  declarations: [{ name: 'repeatable', description: '', inputSchema: {}, mayRepeat: true }],
  findTargetToApprove: ({ name }) => (name === 'careful' ? 'notes.md' : undefined),
  run: async ({ name }, { decision }) => {
    if (name === 'slow') await aMoment()
    return decision === 'refuse'
      ? { kind: 'failed', code: 'tool_denied', text: 'A person refused this.' }
      : { kind: 'ok', text: 'done' }
  },
})

const aMoment = () => new Promise<void>((resolve) => void setTimeout(resolve, 4))

test('[S6] a live reader ends with the stored transcript, whatever happens', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 25 }), async (actions) => {
      const { client, sessionId, reader, perform } = await openSession()
      for (const one of ['send', ...actions, 'resume'] as const) await perform(one).catch(passExpected)
      await expect
        .poll(async () => {
          await client.sessions.cancel(sessionId)
          return client.sessions.get(sessionId)
        }, POLLING)
        .not.toHaveProperty('openTurn')

      const { lastSequence } = await client.sessions.get(sessionId)
      const later = follow(client, sessionId)
      for (const { events } of [reader, later]) {
        await expect.poll(() => events.at(-1)?.sequenceNumber, POLLING).toBe(lastSequence)
      }
      expect(reader.turns()).toEqual(later.turns())
      const stored = turnsOfMessages((await client.sessions.messages({ sessionId })).items)
      const answered = later
        .turns()
        .filter(({ state, parts }) => state === 'completed' && parts.at(-1)?.kind === 'text')
      expect(stored).toEqual(expect.arrayContaining(answered))
    }),
    { numRuns: 40 },
  )
})

async function openSession() {
  const { api, client, model } = await open({ tools })
  const { sessionId } = await client.sessions.start()
  const reader = follow(client, sessionId)
  let count = 0

  const perform = async (one: Action): Promise<unknown> => {
    count += 1
    switch (one) {
      case 'text':
      case 'reasoning':
        return model.say({ type: one, text: `${count} ` })
      case 'call plain':
      case 'call careful':
      case 'call repeatable':
      case 'call slow': {
        const call = { id: `call-${count}` as CallId, name: one.slice('call '.length), input: {} }
        model.say({ type: 'tool_call', call })
        return model.finish()
      }
      case 'finish':
        return model.finish()
      case 'fail': {
        const error = { code: 'provider_unavailable', message: 'down', retryable: true } as const
        return model.say({ type: 'failure', error })
      }
      case 'kill':
        return api.killProcess()
      case 'cut':
        return api.cutStreams()
      case 'a moment passes':
        return aMoment()
      case 'send':
        return client.sessions.send({ sessionId, text: `${count}?`, idempotencyKey: `${count}` })
      case 'continue':
      case 'resume':
      case 'cancel':
        return client.sessions[one](sessionId)
      case 'allow':
      case 'refuse': {
        const callId = reader.turns().at(-1)?.waitsFor?.callId ?? ('none' as CallId)
        return client.sessions.decide({ sessionId, callId, decision: one })
      }
      default:
        return one satisfies never
    }
  }
  return { client, sessionId, reader, perform }
}

/** Actions that are impossible in the current state are refused. */
function passExpected(failure: unknown): void {
  const isExpected =
    failure instanceof PlatformError &&
    ['session_busy', 'nothing_to_continue', 'approval_not_pending'].includes(failure.code)
  if (!isExpected) throw failure
}
