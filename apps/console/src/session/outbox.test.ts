import { createHash, randomUUID } from 'node:crypto'
import { createApiClient, listTurns } from '@parley/api-client'
import { startFakeApi, createSteeredModel } from '@parley/api-client/testing'
import type { CallId, MediaHandle } from '@parley/contracts'
import { createToolRegistry, type Tool } from '@parley/engine'
import { afterEach, expect, test } from 'vitest'
import { createBrowserStorage } from '../app/browser-storage.ts'
import { createSessionReader, type SessionReader } from './session-reader.ts'

const closing: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

const patiently = { timeout: 5_000, interval: 5 }
const hash = (text: string) => createHash('sha256').update(text).digest('hex')

/** A tool with a preview that asks again if the preview changed. */
function carefulTools(file: { text: string }): Tool {
  return {
    name: 'write_file',
    description: '',
    input: { jsonSchema: {}, parse: (input) => ({ kind: 'valid', input }) },
    plan: async () => ({
      kind: 'plan',
      target: 'notes.md',
      approval: {
        state: file.text,
        preview: { kind: 'diff', text: `@@ -1 +1 @@\n-${file.text}\n+new\n` },
        forSession: {},
      },
      carryOut: async () => {
        file.text = 'new'
        return { kind: 'ok', text: 'written' }
      },
    }),
  }
}

const findWaitingCall = (id: string) => ({
  id: id as CallId,
  name: 'write_file',
  input: { path: 'notes.md' },
})

async function untilItWaits() {
  const file = { text: 'old' }
  const model = createSteeredModel()
  const tools = createToolRegistry([carefulTools(file)], {
    granted: ['write_file'],
    secrets: () => [],
    hash,
    encodeUtf8: (text) => new TextEncoder().encode(text),
    toMediaHandle: (bytes): MediaHandle =>
      `media://sha256-${createHash('sha256').update(bytes).digest('hex')}`,
  })
  const answers: string[] = []
  const api = await startFakeApi({
    model,
    tools,
    intercept(request) {
      if (request.url?.includes('/approvals/'))
        request.on('data', (chunk: Buffer) => answers.push(chunk.toString()))
      return false
    },
  })
  closing.push(() => api.close())
  const client = createApiClient({
    baseUrl: api.url,
    token: api.token,
    timing: { firstRetryMs: 5, longestRetryMs: 20 },
  })
  const { sessionId } = await client.sessions.start()
  const visit = () => {
    const storage = createBrowserStorage(() => {
      throw new Error('there is no browser here')
    })
    const reader = createSessionReader(sessionId, { client, storage, createKey: () => randomUUID() })
    closing.push(reader.open())
    return reader
  }
  const reader = visit()
  await expect.poll(() => reader.state().kind, patiently).toBe('open')
  reader.send('Write it down')
  model.say({ type: 'tool_call', call: findWaitingCall('call-1') })
  model.finish()
  return { reader, visit, file, model, answers, call: await waiting(reader) }
}

async function waiting(reader: SessionReader, shown = '-old') {
  await expect.poll(() => lastTurn(reader)?.waitsFor?.preview?.text, patiently).toContain(shown)
  const call = lastTurn(reader)?.waitsFor
  if (!call) throw new Error('nothing waits')
  return call
}

const getOpenState = (reader: SessionReader) => {
  const state = reader.state()
  return state.kind === 'open' ? state : undefined
}
const lastTurn = (reader: SessionReader) => {
  const open = getOpenState(reader)
  return open && listTurns(open.transcript).at(-1)
}
const outcomes = (reader: SessionReader) =>
  lastTurn(reader)?.parts.flatMap((part) => (part.kind === 'tool' ? [part.outcome?.kind] : []))

test('[S13] a person sees the preview of a call, and their answer applies to exactly that', async () => {
  const { reader, call, answers } = await untilItWaits()
  expect(call).toMatchObject({
    target: 'notes.md',
    preview: { kind: 'diff', text: '@@ -1 +1 @@\n-old\n+new\n' },
    grant: { tool: 'write_file', target: 'notes.md' },
  })
  reader.decide(call, 'allow')
  await expect.poll(() => outcomes(reader), patiently).toEqual(['ok'])
  expect(answers.map((body): unknown => JSON.parse(body))).toEqual([
    { decision: 'allow', inputHash: call.inputHash },
  ])
})

test('[S13] a call allowed for the session is not asked again', async () => {
  const { reader, call, model } = await untilItWaits()
  reader.decide(call, 'allow_session')
  model.say({ type: 'tool_call', call: findWaitingCall('call-2') })
  model.finish()
  await expect.poll(() => outcomes(reader), patiently).toEqual(['ok', 'ok'])
})

test('[S13] a late answer is reported as unused, and the page catches up', async () => {
  const { reader, visit: openReader, call, model } = await untilItWaits()
  const other = openReader()
  other.decide(await waiting(other), 'refuse')
  await expect.poll(() => outcomes(other), patiently).toEqual(['failed'])
  reader.decide(call, 'allow')
  await expect
    .poll(() => getOpenState(reader)?.request, patiently)
    .toMatchObject({ kind: 'overtaken', reason: expect.stringMatching(/not used/) })
  await expect.poll(() => outcomes(reader), patiently).toEqual(['failed'])
  expect(lastTurn(reader)?.waitsFor).toBeUndefined()
  model.say({ type: 'text', text: 'As you wish.' })
  model.finish()
  await expect.poll(() => lastTurn(reader)?.state, patiently).toBe('completed')
  expect(getOpenState(reader)?.request.kind).toBe('overtaken')
  reader.send('Thanks')
  await expect.poll(() => lastTurn(reader)?.state, patiently).toBe('running')
  expect(getOpenState(reader)?.request.kind).toBe('none')
})

test('[S13] an answer to an outdated call is ignored', async () => {
  const { reader, call, file } = await untilItWaits()
  reader.decide({ ...call, inputHash: hash('something else') }, 'allow')
  await expect.poll(() => getOpenState(reader)?.request.kind, patiently).toBe('overtaken')
  await waiting(reader)
  expect(file.text).toBe('old')
})

test('[S13] a call that changed after approval is shown again with a note', async () => {
  const { reader, call, file } = await untilItWaits()
  file.text = 'changed'
  reader.decide(call, 'allow')
  const again = await waiting(reader, '-changed')
  expect(getOpenState(reader)?.request).toMatchObject({
    kind: 'refused',
    reason: expect.stringMatching(/changed/),
  })
  expect(file.text).toBe('changed')
  reader.decide(again, 'allow')
  await expect.poll(() => outcomes(reader), patiently).toEqual(['ok'])
  expect(getOpenState(reader)?.request.kind).toBe('none')
})
