import { expect, test } from 'vitest'
import type { CallId, SessionId, SessionMessage, ToolOutcome } from '@parley/contracts'
import type { LlmMessage, ModelEvent, ModelRequest } from '../ports/model.ts'
import type { SessionStore } from '../ports/session-store.ts'
import { type ModelScript, createAnswerScript, createFakeTools, createScriptedModel } from './fakes.ts'
import {
  type StoreUnderTest,
  createAnswerMessage,
  createBatch,
  createStoredEvent,
  createNewTurn,
  testAgent,
  testOwner,
} from './fixtures.ts'
import { createTestSessions } from './test-sessions.ts'

/** The past that a model gets, with every store. */
export function describeSessionPast(opened: Promise<StoreUnderTest>) {
  test('[S4] a rolled-back turn of 326 messages does not push out other messages', async () => {
    const { store, other } = await opened
    const here = createTalk(store, [createAnswerScript('Hello, Ada.'), ...steps(25, 12)])
    const { id } = await here.start()
    expect(await here.say(id, 'My name is Ada')).toBe('completed')
    expect(await here.say(id, 'Write the files')).toBe('error')
    expect((await store.find(id))?.session.messageCount).toBe(328)

    const there = createTalk(other, [createAnswerScript('Ada.'), createAnswerScript('Still Ada.')])
    await there.say(id, 'What is my name?')
    await there.say(id, 'And now?')
    const [first, second] = there.asked
    const given = listTexts(first)
    expect(given).toHaveLength(4)
    expect(given.toSpliced(2, 1)).toEqual(['My name is Ada', 'Hello, Ada.', 'What is my name?'])
    const [, , note = ''] = given
    expect(note).toContain('Write the files')
    expect(note).toContain('300 tool calls')
    expect(note).toContain('write_file {"path":"24-11.txt"}')
    expect(note).toContain('wrote 24-11.txt')
    expect(note).toContain('at most 25 steps')
    expect(note.length).toBeLessThan(12_000)
    expect(listTexts(second).slice(0, 4)).toEqual(given)
    const stored = await other.readTail(id, 400)
    expect(stored.filter(({ marker }) => marker)).toEqual([])
  })

  test('[S4] [S17] a rolled-back turn does not push out the summary of what came before', async () => {
    const { store, other } = await opened
    const here = createTalk(store, [
      createAnswerScript('Hello, Ada.'),
      createAnswerScript('She is Ada.'),
      ...steps(25, 12),
    ])
    const { id } = await here.start()
    await here.say(id, 'My name is Ada')
    await here.sessions.compact(id)
    expect(await here.say(id, 'Write the files')).toBe('error')
    const there = createTalk(other, [createAnswerScript('Ada.')])
    await there.say(id, 'What is my name?')
    expect(there.asked[0]?.system).toContain('She is Ada.')
    expect(listTexts(there.asked[0])).toHaveLength(2)
  })

  test.each<[string, readonly ModelScript[], RegExp]>([
    [
      'the provider failed',
      [...steps(1, 1), createFailingScript('the wire is cut')],
      /provider failed[^]*the wire is cut/,
    ],
    ['the limit of steps was met', steps(2, 1), /reached a limit[^]*at most 2 steps/],
  ])('[S4] a note says that %s, and lists the calls before', async (_, scripts, why) => {
    const { store, other } = await opened
    const here = createTalk(store, scripts, { maxToolTurns: 2 })
    const { id } = await here.start()
    expect(await here.say(id, 'Write it')).toBe('error')
    const there = createTalk(other, [createAnswerScript('Yes.')])
    await there.say(id, 'Did you?')
    const [note = '', question] = listTexts(there.asked[0])
    expect(question).toBe('Did you?')
    expect(note).toMatch(why)
    expect(note).toContain('Write it')
    expect(note).toContain('write_file {"path":"0-0.txt"} -> ok: "wrote 0-0.txt"')
  })

  test('[S4] a note says that the person cancelled during a tool', async () => {
    const { store, other } = await opened
    const { promise: running, resolve: isRunning } = Promise.withResolvers<void>()
    const here = createTalk(store, steps(1, 1), {}, async (signal) => {
      isRunning()
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
      return { kind: 'failed', code: 'cancelled', text: 'The call was cancelled.' }
    })
    const { id } = await here.start()
    const turn = await here.sessions.send(id, 'Write it')
    await running
    await here.sessions.cancel(id)
    expect(await turn.ended).toBe('cancelled')
    const there = createTalk(other, [createAnswerScript('Yes.')])
    await there.say(id, 'Did you?')
    const [note] = listTexts(there.asked[0])
    expect(note).toMatch(/person cancelled it[^]*write_file[^]*failed \(cancelled\)/)
  })

  test('[S4] a step that is cancelled before its tool call is kept as unfinished, and is no answer', async () => {
    const { store, other } = await opened
    const { promise: spoken, resolve: hasSpoken } = Promise.withResolvers<void>()
    const speaking: ModelScript = async function* (_, signal) {
      yield { type: 'text', text: 'I will write it.' }
      hasSpoken()
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
    }
    const here = createTalk(store, [speaking])
    const { id } = await here.start()
    const turn = await here.sessions.send(id, 'Write it')
    await spoken
    await here.sessions.cancel(id)
    expect(await turn.ended).toBe('cancelled')
    expect((await other.readTail(id, 1))[0]).toMatchObject({ cutShort: 'unfinished' })
    const there = createTalk(other, [createAnswerScript('No.')])
    await there.say(id, 'Did you?')
    const [note, ...others] = listTexts(there.asked[0])
    expect(note).toMatch(/person cancelled it[^]*I will write it\./)
    expect(others).toEqual(['Did you?'])
  })

  test('[S4] a note says that the process ended, and that the outcome of its call is not known', async () => {
    const { other, doomed } = await opened
    const dying = await doomed()
    const there = createTalk(other, [createAnswerScript('Yes.'), createAnswerScript('No.')])
    const { id } = await there.start()
    const lease = await dying.store.beginTurn(createNewTurn(id, 'Write it'))
    const call = { id: 'call-1' as CallId, name: 'write_file', input: { path: '0-0.txt' } }
    const asking: SessionMessage = { ...createAnswerMessage(id, 2), content: [{ type: 'tool_call', call }] }
    const { cutShort: _, ...message } = asking
    await dying.store.append(lease, createBatch({ messages: [message], events: [createStoredEvent(3)] }))
    await dying.die()
    await there.sessions.settle(id)
    await there.say(id, 'Did you?')
    const [note] = listTexts(there.asked[0])
    expect(note).toMatch(/interrupted[^]*write_file \{"path":"0-0.txt"\} -> no result/)

    const fork = await there.sessions.fork(id, { ownerId: testOwner, agent: testAgent })
    await there.say(fork.id, 'Did you?')
    expect(listTexts(there.asked[1])).toEqual([note, 'Did you?', 'Yes.', 'Did you?'])
  })

  test('[S7] a turn that met the limit of steps is continued with as many again', async () => {
    const { store, other } = await opened
    const here = createTalk(store, steps(4, 1), { maxToolTurns: 2 })
    const { id } = await here.start()
    expect(await here.say(id, 'Write them')).toBe('error')
    expect(await (await here.sessions.continue(id)).ended).toBe('error')
    expect(here.asked).toHaveLength(4)
    const there = createTalk(other, [createAnswerScript('Done.'), createAnswerScript('Four.')], {
      maxToolTurns: 2,
    })
    expect(await (await there.sessions.continue(id)).ended).toBe('completed')
    await there.say(id, 'How many?')
    expect(there.asked.map(({ messages }) => messages.length)).toEqual([9, 11])
  })

  test('[S4] a turn that failed, was continued and failed again has one note, with its last error', async () => {
    const { store, other } = await opened
    const here = createTalk(store, [createFailingScript('first'), createFailingScript('second')])
    const { id } = await here.start()
    await here.say(id, 'Hello')
    await (
      await here.sessions.continue(id)
    ).ended
    await here.sessions.recordExport(id)
    const there = createTalk(other, [createAnswerScript('Yes.')])
    await there.say(id, 'Hello?')
    const [note] = listTexts(there.asked[0])
    expect(listTexts(there.asked[0])).toHaveLength(2)
    expect(note).toContain('second')
    expect(note).not.toContain('first')
  })
}

const createFailingScript = (message: string): ModelScript => [
  { type: 'text', text: 'I begin' },
  { type: 'failure', error: { code: 'provider_unavailable', message, retryable: true } },
]

/** Steps with this many calls each, without a final answer. */
const steps = (count: number, calls: number): readonly ModelScript[] =>
  Array.from({ length: count }, (_, step) => [
    ...Array.from({ length: calls }, (__, place): ModelEvent => {
      const id = `call-${step}-${place}` as CallId
      return { type: 'tool_call', call: { id, name: 'write_file', input: { path: `${step}-${place}.txt` } } }
    }),
    { type: 'finish', reason: 'completed', usage: { inputTokens: 5, outputTokens: 4 } },
  ])

type ToolRun = (signal: AbortSignal, path: unknown) => Promise<ToolOutcome>

const runWrite: ToolRun = async (_, path) => ({ kind: 'ok', text: `wrote ${String(path)}` })

function createTalk(
  store: SessionStore,
  scripts: readonly ModelScript[],
  limits: { readonly maxToolTurns?: number } = { maxToolTurns: 25 },
  run = runWrite,
) {
  const model = createScriptedModel(scripts)
  const tools = createFakeTools({
    declarations: [{ name: 'write_file', description: 'Writes it', inputSchema: {} }],
    run: ({ input }, { signal }) =>
      run(signal, typeof input === 'object' && input !== null && 'path' in input ? input.path : ''),
  })
  const at = createTestSessions(model, { store, tools, limits })
  const say = async (id: SessionId, text: string) => (await at.sessions.send(id, text)).ended
  return { ...at, say, asked: model.asked }
}

const listTexts = (request: ModelRequest | undefined): readonly string[] =>
  request?.messages.map(joinText) ?? []

const joinText = ({ content }: LlmMessage) =>
  content.map((part) => ('text' in part ? part.text : '')).join('')
