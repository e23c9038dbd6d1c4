import type { CallId, DurableContentPart, Json } from '@parley/contracts'
import { createTestSession } from '@parley/engine/testing'
import { anyLetter } from '@parley/contracts/testing'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { AT, createAnswer, createBatch, createCompletedEvent, ids, createNewTurn } from './testing/turns.ts'
import { useKnowledgeBase } from '../knowledge/testing/knowledge-base.ts'

const { database } = await useKnowledgeBase()

// UTF-16 units, so that U+0000 and halves of pairs come often.
const anyText = fc
  .array(
    fc.oneof(
      fc.constantFrom('\u0000', '\ud800', '\udfff', '\\', '"', '{', '}', ',', '\u2028'),
      fc.string({ unit: anyLetter }),
    ),
    { maxLength: 8 },
  )
  .map((pieces) => pieces.join(''))

const anyJson = fc
  .jsonValue({ stringUnit: anyLetter })
  .map((value): Json => JSON.parse(JSON.stringify(value)))

const anyPart: fc.Arbitrary<DurableContentPart> = fc.oneof(
  fc.record({ type: fc.constant('text' as const), text: anyText }),
  fc.record({ type: fc.constant('reasoning' as const), text: anyText }),
  fc.record({
    type: fc.constant('tool_call' as const),
    call: fc.record({ id: fc.constant('call-1' as CallId), name: anyText, input: anyJson }),
  }),
  fc.record({
    type: fc.constant('tool_result' as const),
    callId: fc.constant('call-1' as CallId),
    outcome: fc.record({ kind: fc.constant('ok' as const), text: anyText }),
  }),
)

test('[S10] any text is read back exactly, also U+0000 and lone surrogates', async () => {
  const { sessions } = database
  const property = fc.asyncProperty(
    fc.array(anyPart, { maxLength: 4 }),
    fc.array(anyPart, { maxLength: 4 }),
    anyText,
    async (said, answered, variable) => {
      const id = ids.sessionId()
      const context = { workingDir: '/', fsScopeTier: 'sandboxed' as const, variables: { variable } }
      const [session, started] = createTestSession(id, AT, { context })
      await sessions.create(session, { ...started, body: { ...started.body, context } })
      const turn = createNewTurn(id)
      const message = { ...turn.question.message, content: said }
      const lease = await sessions.beginTurn({ ...turn, question: { ...turn.question, message } })
      const answerMessage = createAnswer(lease, answered)
      const event = {
        ...createCompletedEvent(lease),
        body: { type: 'session:turn_completed' as const, variable },
      }
      await sessions.append(lease, createBatch(lease, { messages: [answerMessage], events: [event] }))

      expect((await sessions.find(id))?.session.context).toEqual(context)
      const messages = await sessions.readMessages(id, { after: 0, limit: 10 })
      expect(messages.map(({ content }) => content)).toEqual([said, answered])
      const events = await sessions.readEvents(id, { after: 0, limit: 10 })
      expect(events.map(({ body }) => body)).toEqual([
        { ...started.body, context },
        turn.event.body,
        event.body,
      ])
    },
  )
  await fc.assert(property, { numRuns: 200 })
})

test('a name with a character that Postgres cannot store is refused with a clear message', async () => {
  const [session, started] = createTestSession(ids.sessionId(), AT, { title: 'a\u0000b' })
  await expect(database.sessions.create(session, started)).rejects.toMatchObject({ code: 'validation' })
})

test.each(['x', '2026-03-04T05:06:07.000Z', '2026-99-04T05:06:07.000Z ses_1', "infinity ' or 1=1"])(
  'the cursor %j is refused',
  async (cursor) => {
    await expect(database.sessions.list({ limit: 1, cursor })).rejects.toMatchObject({ code: 'validation' })
  },
)
