import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CallId, Json, SessionEvent } from '@parley/contracts'
import { createAnswerScript, type ModelScript, createScriptedModel } from '@parley/engine/testing'
import { freshDatabase } from '@parley/postgres/testing'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { startApi } from './start-api.ts'

const TOKEN = 'made-up-owner-token'

const calling = (id: string, name: string, input: Json): ModelScript => [
  { type: 'tool_call', call: { id: id as CallId, name, input } },
  { type: 'finish', reason: 'completed', usage: { inputTokens: 1, outputTokens: 1 } },
]

/** The real API on a scripted model, whose agent has tools. */
async function startWithTools(scripts: readonly ModelScript[], tools: readonly string[], more: object = {}) {
  const home = await mkdtemp(join(tmpdir(), 'parley-tools-'))
  const database = await freshDatabase()
  const model = createScriptedModel(scripts)
  const options = {
    databaseUrl: database.databaseUrl,
    home,
    port: 0,
    ownerToken: TOKEN,
    logger: pino({ enabled: false }),
    getModel: () => model,
    ...more,
  }
  let api = await startApi(options)
  onTestFinished(async () => {
    await api.stop()
    await rm(home, { recursive: true, force: true })
  })
  const call = (method: string, path: string, body?: unknown) =>
    fetch(`${api.url}/v1/sessions${path}`, {
      method,
      headers: {
        authorization: `Bearer ${TOKEN}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
  const agent = { id: 'helper', provider: 'test', model: 'scripted', tools }
  const started = await (await call('POST', '', { agent })).json()
  const { sessionId } = started as { sessionId: string }
  return {
    call: (method: string, path: string, body?: unknown) => call(method, `/${sessionId}${path}`, body),
    workspace: (started as { context: { workingDir: string } }).context.workingDir,
    home,
    restart: async () => {
      await api.stop()
      api = await startApi(options)
    },
    /** The events up to one of these types. */
    until: async (...types: readonly SessionEvent['type'][]): Promise<SessionEvent[]> => {
      const response = await fetch(`${api.url}/v1/sessions/${sessionId}/events`, {
        headers: { authorization: `Bearer ${TOKEN}`, 'last-event-id': '0' },
      })
      const seen: SessionEvent[] = []
      let text = ''
      for await (const chunk of response.body ?? []) {
        text += Buffer.from(chunk).toString()
        const frames = text.split('\n\n')
        text = frames.pop() ?? ''
        for (const frame of frames) {
          const data = /^data: (.*)$/m.exec(frame)?.[1]
          if (data === undefined) continue
          const event = JSON.parse(data) as SessionEvent
          seen.push(event)
          if (types.includes(event.type)) return seen
        }
      }
      throw new Error('the stream ended')
    },
  }
}

const WRITE = { path: 'tides.md', content: 'High water at six.\n' }

test('[S13] a call waits over HTTP with a diff, survives a restart, and is decided by its id', async () => {
  const { call, until, workspace, restart } = await startWithTools(
    [calling('call-1', 'write_file', WRITE), createAnswerScript('Written.')],
    ['write_file'],
  )
  await call('POST', '/messages', { text: 'Note the tide' })
  const request = (await until('agent:approval_requested')).at(-1)
  expect(request).toMatchObject({
    callId: 'call-1',
    tool: 'write_file',
    target: 'tides.md',
    preview: { kind: 'diff', text: expect.stringContaining('+High water at six.') },
    grant: { tool: 'write_file', target: 'tides.md' },
  })
  await restart()
  const inputHash = request?.type === 'agent:approval_requested' ? request.inputHash : undefined
  const other = await call('POST', '/approvals/call-1', { decision: 'allow', inputHash: 'f'.repeat(64) })
  expect(await other.json()).toMatchObject({ code: 'approval_not_pending' })
  expect(await readdir(workspace)).toEqual([])
  expect((await call('POST', '/approvals/call-1', { decision: 'allow', inputHash })).status).toBe(202)
  const events = await until('session:turn_completed')
  expect(await readFile(join(workspace, 'tides.md'), 'utf8')).toBe(WRITE.content)
  expect(events).toContainEqual(
    expect.objectContaining({ type: 'agent:tool_decided', verdict: 'allowed', by: 'person' }),
  )
  expect(events).toContainEqual(
    expect.objectContaining({ type: 'agent:approval_answered', by: expect.stringMatching(/^per_/) }),
  )
  const again = await call('POST', '/approvals/call-1', { decision: 'allow', inputHash })
  expect(await again.json()).toMatchObject({ code: 'approval_not_pending' })
})

test('[S13] attack: an approval does not cover a file that changed since', async () => {
  const { call, until, workspace } = await startWithTools(
    [calling('call-1', 'write_file', WRITE), createAnswerScript('Written.')],
    ['write_file'],
  )
  await writeFile(join(workspace, 'tides.md'), 'Low water at noon.\n')
  await call('POST', '/messages', { text: 'Note the tide' })
  await until('agent:approval_requested')
  await writeFile(join(workspace, 'tides.md'), 'Precious, and written since.\n')
  await call('POST', '/approvals/call-1', { decision: 'allow' })
  const requests = async () =>
    (await until('session:turn_completed', 'agent:approval_answered')).filter(
      ({ type }) => type === 'agent:approval_requested',
    )
  expect(await requests()).toHaveLength(1)
  await expect
    .poll(
      async () =>
        ((await (await call('GET', '')).json()) as { openTurn?: { state: string } }).openTurn?.state,
    )
    .toBe('waiting')
  expect(await readFile(join(workspace, 'tides.md'), 'utf8')).toBe('Precious, and written since.\n')
})

test('[S13] an approval for the session survives a restart, for that file only', async () => {
  const { call, until, workspace, restart } = await startWithTools(
    [
      calling('call-1', 'write_file', WRITE),
      createAnswerScript('Written.'),
      calling('call-2', 'write_file', { ...WRITE, content: 'Again.\n' }),
      calling('call-3', 'write_file', { ...WRITE, path: 'other.md' }),
      createAnswerScript('Both.'),
    ],
    ['write_file'],
  )
  await call('POST', '/messages', { text: 'Note the tide' })
  await until('agent:approval_requested')
  await call('POST', '/approvals/call-1', { decision: 'allow_session' })
  await until('session:turn_completed')
  await restart()
  await call('POST', '/messages', { text: 'And again' })
  await expect
    .poll(
      async () =>
        ((await (await call('GET', '')).json()) as { openTurn?: { state: string } }).openTurn?.state,
    )
    .toBe('waiting')
  expect(await readFile(join(workspace, 'tides.md'), 'utf8')).toBe('Again.\n')
  expect(await readdir(workspace)).toEqual(['tides.md'])
  const found = (await (await call('GET', '')).json()) as { grants: unknown }
  expect(found.grants).toEqual([{ tool: 'write_file', target: 'tides.md' }])
})

test.each([
  ['the keys beside the workspace', { path: '../../owner-token' }],
  ['another person’s folder', { path: '../per_other/notes.md' }],
  ['the machine', { path: '/etc/passwd' }],
])('[A3] attack: a session reaches for %s', async (_, input) => {
  const { call, until } = await startWithTools(
    [calling('call-1', 'read_file', input), createAnswerScript('No.')],
    ['read_file'],
  )
  await call('POST', '/messages', { text: 'Look' })
  const events = await until('session:turn_completed')
  expect(events).toContainEqual(
    expect.objectContaining({
      type: 'agent:tool_result',
      outcome: expect.objectContaining({ code: 'tool_denied' }),
    }),
  )
})

test('[A3] the server’s config limits even the agent of its owner', async () => {
  const { call, until } = await startWithTools(
    [
      calling('call-1', 'run_command', { command: 'ls' }),
      calling('call-2', 'mcp_call', { server: 'own' }),
      createAnswerScript('No.'),
    ],
    ['run_command', 'mcp_call'],
  )
  await call('POST', '/messages', { text: 'Look' })
  const events = await until('session:turn_completed')
  const refused = events.filter((event) => event.type === 'agent:tool_decided' && event.verdict === 'refused')
  expect(refused).toHaveLength(2)
})
