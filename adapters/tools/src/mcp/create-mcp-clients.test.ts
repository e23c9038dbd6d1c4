import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test, vi } from 'vitest'
import { freshFolder, hostile, isAlive, openMcp } from './mcp.fixture.ts'

const ECHO = { server: 'one', tool: 'echo', arguments: { text: 'hello' } }
const PATIENCE = { timeout: 20_000 }
const PID = { server: 'one', tool: 'echo' }

/** The process that a server runs in. */
async function pidOf(mcp: Awaited<ReturnType<typeof openMcp>>): Promise<string> {
  const { outcome } = await mcp.call(PID)
  return outcome.text.split('\n')[1] ?? outcome.text
}

test('[S12] calls of a session share one connection, even in parallel', async () => {
  const mcp = await openMcp({ servers: { one: hostile('pid') } })
  const pids = await Promise.all([pidOf(mcp), pidOf(mcp), pidOf(mcp)])
  expect(new Set([...pids, await pidOf(mcp)]).size).toBe(1)
})

test('[S12] an idle connection is closed, and opened again for the next call', async () => {
  const mcp = await openMcp({ servers: { one: hostile('pid') }, limits: { idleMs: 50 } })
  const before = await pidOf(mcp)
  await vi.waitUntil(() => !isAlive(Number(before)), PATIENCE)
  expect(await pidOf(mcp)).not.toBe(before)
})

test('[S12] a failed server is tried again after growing pauses', async () => {
  let time = 1_000_000
  const file = join(await freshFolder(), 'starts')
  await writeFile(file, '')
  const { decide, call } = await openMcp({ servers: { one: hostile('exit-at-once', file) }, now: () => time })
  const starts = async () => (await readFile(file, 'utf8')).length
  const expected = [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]
  for (const [index, pause] of expected.entries()) {
    expect((await call(ECHO)).outcome.text).toContain('made-up-reason')
    time += pause - 1
    const refused = await decide(ECHO)
    expect(refused).toMatchObject({ kind: 'refused', outcome: { code: 'tool_unavailable' } })
    expect(refused.kind === 'refused' && refused.outcome.text).toMatch(/next attempt is possible in 1 s/)
    expect(await starts()).toBe(index + 1)
    time += 1
  }
})

test('[S12] a server that died later is restarted at the next call', async () => {
  let time = 1_000_000
  const mcp = await openMcp({ servers: { one: hostile('pid') }, now: () => time })
  const before = await pidOf(mcp)
  time += 120_000
  process.kill(Number(before), 'SIGKILL')
  await vi.waitFor(async () => {
    const after = await pidOf(mcp)
    expect(after).toMatch(/^\d+$/)
    expect(after).not.toBe(before)
  }, PATIENCE)
})

test('[S12] the longest idle connection is closed when all are taken', async () => {
  const servers = { one: hostile('pid'), two: hostile('plain', '', { env: { OTHER: '1' } }) }
  const mcp = await openMcp({ servers, limits: { connections: 1 } })
  const before = await pidOf(mcp)
  expect((await mcp.call({ ...ECHO, server: 'two' })).outcome.text).toContain('hello')
  expect(await pidOf(mcp)).not.toBe(before)
})

test('[S12] another connection is refused when all are in use', async () => {
  const log = join(await freshFolder(), 'log')
  const servers = { one: hostile('plain'), busy: hostile('hang-call', log) }
  const { call, decide } = await openMcp({ servers, limits: { connections: 1 } })
  const cancelling = new AbortController()
  const calling = call({ server: 'busy', tool: 'echo' }, cancelling.signal)
  await vi.waitUntil(() => existsSync(log), PATIENCE)
  expect(await decide(ECHO)).toMatchObject({
    kind: 'refused',
    outcome: { text: expect.stringContaining('1 MCP servers are in use') },
  })
  cancelling.abort()
  await calling
})

test('[S12] nothing is opened after closing', async () => {
  const mcp = await openMcp({ servers: { one: hostile('pid') } })
  const pid = Number(await pidOf(mcp))
  await mcp.clients.close()
  expect(isAlive(pid)).toBe(false)
  expect(await mcp.decide(ECHO)).toMatchObject({ kind: 'refused', outcome: { code: 'tool_unavailable' } })
})

test('[S12] a process that exits without closing leaves no server behind', async () => {
  const session = { id: 'ses_made_up', context: { workingDir: await freshFolder() } }
  const at = { session, server: { name: 'one', ...hostile('stays') } }
  const code = `
      import { createMcpClients } from ${JSON.stringify(new URL('create-mcp-clients.ts', import.meta.url).href)}
      const clients = createMcpClients({ environment: {}, findSecret: () => undefined, home: ${JSON.stringify(await freshFolder())} })
      const signal = AbortSignal.timeout(20000)
      const call = (connection) => connection.call('echo', {}, signal)
      const { content } = await clients.use(${JSON.stringify(at)}, signal, call)
      process.stdout.write(content[0].text, () => process.exit(0))`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code])
  const pid = Number(stdout)
  expect(pid).toBeGreaterThan(0)
  await vi.waitUntil(() => !isAlive(pid), PATIENCE)
})
