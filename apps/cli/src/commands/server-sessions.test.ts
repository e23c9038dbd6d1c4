import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type ApiClient, createApiClient } from '@parley/api-client'
import { Agent, type ReflectionId, Reflection, type SessionId } from '@parley/contracts'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { callTool, answerWith, startModelServer } from '../testing/model-server.ts'
import { createHome, parley } from '../testing/parley-process.ts'
import { runningServer } from '../testing/running-server.ts'
import { openTerminalHere } from '../testing/terminal.ts'

const SLOW = { timeout: 120_000 }

let at: Awaited<ReturnType<typeof createHome>>
let server: Awaited<ReturnType<typeof runningServer>>
let client: ApiClient
let models: Awaited<ReturnType<typeof startModelServer>>
let reflectionId: ReflectionId
beforeAll(async () => {
  at = await createHome()
  models = await startModelServer(
    callTool('write_file', { path: 'notes.md', content: 'Tea.\n' }),
    answerWith('It is done.'),
  )
  await writeFile(
    join(at.home, 'config.toml'),
    `[providers.local]\nkind = "openai-compatible"\nbase_url = "${models.url}"\n[providers.local.models.large]\ncontext_window = 10000\n`,
  )
  server = await runningServer(at)
  const { url, token } = server.ready
  client = createApiClient({ baseUrl: url, token })
  const { stdout } = await run('reflections', 'create', 'Grace Winter', '--json')
  reflectionId = Reflection.parse(JSON.parse(stdout)).id
  // Its first version is built in the background.
  await vi.waitFor(() => client.sessions.start({ reflectionId, title: 'The first' }), { timeout: 60_000 })
}, 240_000)
afterAll(async () => {
  await server?.stop()
  await models[Symbol.asyncDispose]()
  await at[Symbol.asyncDispose]()
})

const run = (...args: readonly string[]) => parley(args, at)
const startTitledSession = async (title: string): Promise<SessionId> =>
  (await client.sessions.start({ reflectionId, title })).sessionId

test('[X1] `sessions --server` lists sessions with their reflections', SLOW, async () => {
  const id = await startTitledSession('About pears')
  expect((await run('sessions')).stdout).toBe(
    'There are no sessions yet. Start one with: parley chat\nFor sessions on the running server: parley sessions --server\n',
  )
  const { code, stdout } = await run('sessions', '--server', '--limit', '1')
  expect(code).toBe(0)
  expect(stdout).toMatch(new RegExp(`\\n${id.slice(4, 12)} .* Grace Winter  About pears\\n`))
  expect(stdout).toContain('There are more: parley sessions --server --limit 5')
  const found = JSON.parse((await run('sessions', '--server', '--search', 'pears', '--json')).stdout)
  expect(found).toMatchObject({ items: [{ id, reflectionId, channel: 'text' }], more: false })
  expect((await run('sessions', '--server', '--search', 'plums')).stdout).toContain('contains "plums"')
})

test('[X1] a session started elsewhere can be resumed, and leaving does not end it', SLOW, async () => {
  const id = await startTitledSession('Goes on')
  const said = await run('resume', id.slice(0, 12), '--message', 'Hello!')
  expect(said).toMatchObject({ code: 0, stderr: '' })
  expect(said.stdout.trim()).not.toBe('')
  const events = await run('resume', id, '--message', 'Hello again!', '--json')
  expect(events.stdout).toContain('"type":"session:turn_completed"')
  await using terminal = openTerminalHere(['resume', id], at)
  const greeting = await terminal.until(/> $/)
  expect(greeting).toContain('Hello!')
  expect(greeting).toContain('Grace Winter')
  await terminal.say('Good bye!')
  expect(await terminal.leave()).toBe(0)
  expect(await client.sessions.get(id)).toMatchObject({ status: 'active', messageCount: 6 })
  const shown = await run('sessions', 'show', id)
  expect(shown.stdout).toContain('Good bye!')
  const nothing = await run('resume', id, '--continue')
  expect(nothing).toMatchObject({ code: 2, stderr: expect.stringContaining('parley resume') })
})

const WRITER = Agent.parse({
  id: 'writer',
  provider: 'local',
  model: 'large',
  system_prompt: 'You write things down.',
  tools: ['write_file'],
})

test('[S13] a tool call waiting on the server can be approved only at a terminal', SLOW, async () => {
  const { sessionId: id } = await client.sessions.start({ title: 'Waits', agent: WRITER })
  await client.sessions.send({ sessionId: id, text: 'Write it down.', idempotencyKey: 'one' })
  await expect.poll(async () => (await client.sessions.get(id)).openTurn?.state).toBe('waiting')
  const piped = await run('resume', id, '--message', 'Hello!')
  expect(piped).toMatchObject({ code: 3, stderr: expect.stringContaining('Your message was not sent.') })
  expect((await run('sessions', 'end', id)).stderr).toContain('waiting for your approval')
  await using terminal = openTerminalHere(['resume', id], at)
  expect(await terminal.until(/\n {2}n {2}no.*\n?.*$/)).toContain('notes.md')
  expect(await terminal.say('y')).toContain('It is done.')
  expect(await terminal.leave()).toBe(0)
  expect((await client.sessions.get(id)).openTurn).toBeUndefined()
})

test('[X1] `export` writes the same bytes as the server', SLOW, async () => {
  const id = await startTitledSession('Written down')
  await run('resume', id, '--message', 'Hello!')
  const file = join(at.home, 'talk.yaml')
  const written = await run('export', id, '-o', file)
  expect(written).toMatchObject({ code: 0, stdout: `1 turn written to ${file}.\n` })
  expect(await readFile(file, 'utf8')).toBe((await client.sessions.exported(id)).yaml)
})

test('a session on the server is renamed, ended and deleted by the same commands', SLOW, async () => {
  const id = await startTitledSession('In the way')
  expect((await run('sessions', 'rename', id, 'Out', 'of', 'it')).stdout).toBe(
    'The title is now "Out of it".\n',
  )
  expect((await run('sessions', 'cancel', id)).stdout).toBe('No answer is running in "Out of it".\n')
  expect((await run('sessions', 'end', id)).stdout).toBe('"Out of it" has ended.\n')
  const over = await run('resume', id, '--message', 'Hello!')
  expect(over).toMatchObject({ code: 1, stderr: expect.stringContaining('has ended') })
  expect((await run('sessions', 'delete', id, '--yes')).stdout).toBe('"Out of it" is deleted.\n')
  await expect(client.sessions.get(id)).rejects.toMatchObject({ code: 'session_not_found' })
})

test('[X1] a call without a transcript yet cannot be resumed or exported, and says so', SLOW, async () => {
  await client.reflections.change({
    reflectionId,
    voice: { voiceId: 'slt', kind: 'stock', consent: false },
  })
  // Its agent at the provider is made with the first call.
  const { sessionId: id } = await vi.waitFor(() => client.sessions.speak({ reflectionId, title: 'A call' }), {
    timeout: 90_000,
  })
  for (const command of [
    ['resume', id, '--message', 'Hello!'],
    ['export', id],
  ]) {
    const { code, stderr } = await run(...command)
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining(
        'The transcript of this call is not ready yet. It arrives soon after the call ends.',
      ),
    })
  }
  const shown = await run('sessions', 'show', id)
  expect(shown).toMatchObject({ code: 0, stdout: expect.stringContaining(', spoken, started ') })
  expect(shown.stderr).toContain('is not ready yet')
  expect((await run('sessions', '--server', '-n', '1')).stdout).toContain('[voice] A call')
})

test.each([
  [['--agent', 'offline'], 'keeps its own agent, so --agent does not apply.'],
  [['--model', 'offline/offline'], 'so --model does not apply.'],
  [['--file', 'notes.md'], 'accepts only text, so --file does not apply.'],
])('`resume` refuses options that work only for local sessions: %j', SLOW, async (options, expected) => {
  const id = await startTitledSession('Its own')
  await writeFile(join(at.home, 'notes.md'), 'Words.')
  const { code, stderr } = await run('resume', id, '--message', 'Hello!', ...options)
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(expected) })
})

test('an unknown session id names both places, an ambiguous one the matches', SLOW, async () => {
  const missing = await run('sessions', 'show', 'ses_0000')
  expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining('parley sessions --server') })
  expect(missing.stderr).toContain('neither on this machine nor on the running server')
  const { first, another } = await twoAlike()
  const { code, stderr } = await run('export', first.slice(0, ALIKE))
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(first.slice(4, 16)) })
  expect(stderr).toContain(another.slice(4, 16))
})

const ALIKE = 'ses_x'.length

/** Two sessions whose ids start with the same character: there are only so many. */
async function twoAlike() {
  const byStart = new Map<string, SessionId>()
  for (;;) {
    const { sessionId: another } = await client.sessions.start({ title: 'Alike' })
    const first = byStart.get(another.slice(0, ALIKE))
    if (first) return { first, another }
    byStart.set(another.slice(0, ALIKE), another)
  }
}
