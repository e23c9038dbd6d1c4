import { expect, test } from 'vitest'
import type { LlmMessage, ModelPort } from '../ports/model.ts'
import { createMemoryStores } from '../memory/memory-session-store.ts'
import { createTestSessions } from '../testing/test-sessions.ts'
import type { SessionLimits } from '../turn/turn.ts'
import { reconstructSessionState } from './reconstruct-session-state.ts'

/** Answers with one word per message; a summary request with the word itself. */
function createCountingModel(given: Pick<ModelPort, 'contextWindow'> = {}) {
  const asked: { system: string; messages: readonly LlmMessage[] }[] = []
  const model: ModelPort = {
    provider: 'test',
    modelId: 'counting',
    ...given,
    async *stream({ system, messages }) {
      const isSummary = system === 'You summarise conversations.'
      if (!isSummary) asked.push({ system, messages })
      yield { type: 'text', text: isSummary ? 'They counted.' : `${messages.length}` }
      yield { type: 'finish', reason: 'completed', usage: { inputTokens: 10, outputTokens: 2 } }
    },
  }
  return { model, asked }
}

function createCountingSessions(
  limits: Partial<SessionLimits>,
  given: Pick<ModelPort, 'contextWindow'> = {},
) {
  const { model, asked } = createCountingModel(given)
  const processes = createMemoryStores()
  const of = () => createTestSessions(model, { store: processes.open().store, limits })
  return { asked, here: of(), there: of() }
}

async function sendAndWait(
  at: ReturnType<typeof createTestSessions>,
  id: Parameters<typeof at.sessions.send>[0],
  text: string,
) {
  await (
    await at.sessions.send(id, text)
  ).ended
}

const joinText = ({ content }: LlmMessage) =>
  content.map((part) => ('text' in part ? part.text : '')).join('')

test('[S17] beyond max_messages the oldest turns are omitted, with a marker and an event; nothing is deleted', async () => {
  const { asked, here, there } = createCountingSessions({ maxMessages: 8 })
  const { id } = await here.start()
  for (const text of ['1', '2', '3', '4', '5', '6']) await sendAndWait(here, id, text)
  expect(asked.map(({ messages }) => messages.length)).toEqual([1, 3, 5, 7, 5, 7])
  const all = await here.store.readTail(id, 99)
  const marker = all.find((message) => message.marker)
  expect(marker).toMatchObject({ role: 'system', marker: { kind: 'trimmed', uptoSequence: 4 } })
  expect(all).toHaveLength(13)
  expect(reconstructSessionState(all).every(({ outcome }) => outcome === 'completed')).toBe(true)
  const events = await here.eventsUntil(id, 1, ({ type }) => type === 'session:trimmed')
  expect(events.at(-1)).toMatchObject({ uptoSequence: 4, turnId: marker?.turnId })

  await sendAndWait(there, id, '7')
  expect(asked.at(-1)?.messages.map(joinText)[0]).toBe('5')
})

test('[S17] another process sends the model the same messages', async () => {
  const { asked, here, there } = createCountingSessions({ maxMessages: 8 })
  const { id } = await here.start()
  for (const [turn, at] of [here, there, there, here, there, here, there].entries())
    await sendAndWait(at, id, `${turn}`)
  const alone = createCountingSessions({ maxMessages: 8 })
  const other = await alone.here.start()
  for (let turn = 0; turn < 7; turn += 1) await sendAndWait(alone.here, other.id, `${turn}`)
  const given = (all: typeof asked) => all.map(({ messages }) => messages.map(joinText))
  expect(given(asked)).toEqual(given(alone.asked))
})

test('[S17] a full window is summarised by the model once, and the prompt has the summary', async () => {
  const { asked, here, there } = createCountingSessions({}, { contextWindow: 12_000 })
  const { id } = await here.start()
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f'])
    await sendAndWait(here, id, `${name} ${'word '.repeat(900)}`)
  const events = await here.eventsUntil(id, 1, ({ type }) => type === 'session:compacted')
  const opened = events.findLast(({ type }) => type === 'session:turn_started')
  const turnId = opened && 'turnId' in opened ? opened.turnId : undefined
  const compacting = events.find(({ type }) => type === 'session:compacting')
  expect([compacting, events.at(-1)]).toMatchObject([{ turnId }, { turnId }])
  expect(asked.at(-1)?.system).toContain('They counted.')
  expect(asked.at(-1)?.messages.map(joinText).at(0)?.[0]).not.toBe('a')

  await sendAndWait(there, id, 'short')
  expect(asked.at(-1)?.system).toContain('Be brief.\n\nSummary of the conversation so far:\nThey counted.')
  expect((await here.store.readTail(id, 99)).filter(({ marker }) => marker)).toHaveLength(1)
})

test('[S17] a turn cancelled while it summarises omits no messages', async () => {
  let cancel: (() => Promise<unknown>) | undefined
  const model: ModelPort = {
    provider: 'test',
    modelId: 'slow',
    contextWindow: 12_000,
    async *stream({ system }) {
      if (system === 'You summarise conversations.') await cancel?.()
      else yield { type: 'text', text: 'Yes.' }
    },
  }
  const at = createTestSessions(model)
  const { id } = await at.start()
  cancel = () => at.sessions.cancel(id)
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f'])
    await sendAndWait(at, id, `${name} ${'word '.repeat(900)}`)
  const events = await at.eventsUntil(id, 1, ({ type }) => type === 'session:cancelled')
  expect(events.map(({ type }) => type)).not.toContain('session:trimmed')
  expect((await at.store.readTail(id, 99)).some(({ marker }) => marker)).toBe(false)
})

test('[S9] a message larger than the window is refused before anything is sent, and is stored', async () => {
  const { asked, here } = createCountingSessions({}, { contextWindow: 6_000 })
  const { id } = await here.start()
  await sendAndWait(here, id, 'word '.repeat(5_000))
  expect(asked).toHaveLength(0)
  const events = await here.eventsUntil(id, 1, ({ type }) => type === 'session:turn_completed')
  expect(events.at(-1)).toMatchObject({ error: { code: 'validation' } })
  expect(await here.store.readTail(id, 9)).toHaveLength(1)
  await sendAndWait(here, id, 'shorter')
  expect(asked).toHaveLength(1)
})

test('[S9] a small window leaves room for a question', async () => {
  const { asked, here } = createCountingSessions({}, { contextWindow: 2_048 })
  const { id } = await here.start()
  await sendAndWait(here, id, 'Hello')
  expect(asked).toHaveLength(1)
})

test('[S17] on request, the past is summarised or trimmed between turns', async () => {
  const { asked, here, there } = createCountingSessions({})
  const { id } = await here.start()
  await expect(here.sessions.compact(id)).rejects.toMatchObject({ code: 'validation' })
  for (const text of ['1', '2', '3']) await sendAndWait(here, id, text)
  expect(await there.sessions.trim(id, 2)).toEqual({ messagesBefore: 6, messagesAfter: 2 })
  await sendAndWait(here, id, '4')
  expect(asked.at(-1)?.messages.map(joinText)).toEqual(['3', '5', '4'])
  expect(await there.sessions.compact(id)).toEqual({ messagesBefore: 4, messagesAfter: 0 })
  await sendAndWait(here, id, '5')
  expect(asked.at(-1)?.messages.map(joinText)).toEqual(['5'])
  expect(asked.at(-1)?.system).toContain('They counted.')
  expect(await here.sessions.trim(id, 1)).toEqual({ messagesBefore: 2, messagesAfter: 2 })
  expect(await here.sessions.trim(id, 0)).toEqual({ messagesBefore: 2, messagesAfter: 0 })
  await sendAndWait(here, id, '6')
  expect(await here.sessions.trim(id, 100)).toEqual({ messagesBefore: 2, messagesAfter: 2 })
  expect((await here.store.find(id))?.session.costs['test/counting']?.inputTokens).toBe(70)
})

test('[S4] [S17] a turn without an answer can be resumed after the earlier messages were shortened', async () => {
  let isDown = false
  const { model, asked } = createCountingModel()
  const at = createTestSessions({
    ...model,
    async *stream(request, signal) {
      const error = { code: 'provider_unavailable', message: 'down', retryable: true } as const
      if (isDown) yield { type: 'failure', error }
      else yield* model.stream(request, signal)
    },
  })
  const { id } = await at.start()
  await sendAndWait(at, id, 'one')
  isDown = true
  await sendAndWait(at, id, 'two')
  isDown = false
  expect(await at.sessions.compact(id)).toEqual({ messagesBefore: 3, messagesAfter: 1 })
  await expect(at.sessions.compact(id)).rejects.toMatchObject({ code: 'validation' })
  expect(await at.sessions.trim(id, 0)).toEqual({ messagesBefore: 1, messagesAfter: 1 })
  expect(await (await at.sessions.continue(id)).ended).toBe('completed')
  await sendAndWait(at, id, 'three')
  expect(asked.at(-1)?.messages.map(joinText)).toEqual(['two', '1', 'three'])
})

test('[S14] an export is recorded as an event, and changes nothing else', async () => {
  const { here } = createCountingSessions({})
  const { id } = await here.start()
  await sendAndWait(here, id, '1')
  const before = await here.store.find(id)
  await here.sessions.recordExport(id)
  const after = await here.store.find(id)
  expect(after?.session).toEqual(before?.session)
  expect(after?.lastSequence).toBe((before?.lastSequence ?? 0) + 1)
})
