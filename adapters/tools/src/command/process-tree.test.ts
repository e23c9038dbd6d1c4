import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { hostile, isAlive } from '../mcp/mcp.fixture.ts'
import { freshFolder, writeScriptThatLeavesChild, writeScript } from './command.fixture.ts'

const PATIENCE = { timeout: 20_000 }
const here = (path: string) => JSON.stringify(new URL(path, import.meta.url).href)

/** A process that runs a command and the given code. */
async function started(folder: string, file: string, more = ''): Promise<ChildProcess> {
  const code = `
    import { runProcess } from ${here('run-process.ts')}
    ${more}
    const request = { file: ${JSON.stringify(file)}, name: 'run', args: [], folder: ${JSON.stringify(folder)} }
    const environment = { PATH: '/usr/bin:/bin' }
    await runProcess({ ...request, environment, timeoutMs: 60000 }, new AbortController().signal)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: 'inherit' })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

const pidIn = (folder: string, name: string): Promise<number> =>
  vi.waitFor(async () => {
    const text = await readFile(join(folder, name), 'utf8')
    expect(text).toMatch(/^\d+\n$/)
    return Number(text)
  }, PATIENCE)

const childrenOf = (parent: number | undefined): readonly number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ')[1] === String(parent)
      } catch {
        return false
      }
    })

test('[S13] attack: a command and its children end when this process is killed', async () => {
  const folder = await freshFolder()
  const file = await writeScript(
    join(folder, 'run'),
    'sleep 600 &',
    'echo $! > child',
    'echo $$ > self',
    'exec sleep 601',
  )
  const parent = await started(folder, file)
  const pids = [await pidIn(folder, 'child'), await pidIn(folder, 'self')]
  parent.kill('SIGKILL')
  await expect.poll(() => pids.filter(isAlive), PATIENCE).toEqual([])
})

test.runIf(process.platform === 'linux')(
  '[S13] attack: so do a child that left its group, an unresponsive MCP server, and the keeper',
  async () => {
    const folder = await freshFolder()
    const file = await writeScriptThatLeavesChild(folder)
    const at = {
      session: { id: 'ses_made_up', context: { workingDir: folder } },
      server: { name: 'one', ...hostile('stays') },
    }
    const parent = await started(
      folder,
      file,
      `import { writeFileSync } from 'node:fs'
       import { createMcpClients } from ${here('../mcp/create-mcp-clients.ts')}
       const clients = createMcpClients({ environment: {}, findSecret: () => undefined, home: ${JSON.stringify(join(folder, 'home'))} })
       const signal = AbortSignal.timeout(30000)
       const { content } = await clients.use(${JSON.stringify(at)}, signal, (one) => one.call('echo', {}, signal))
       writeFileSync(${JSON.stringify(join(folder, 'server.pid'))}, content[0].text + '\\n')`,
    )
    const pids = [await pidIn(folder, 'daemon.pid'), await pidIn(folder, 'server.pid')]
    const children = childrenOf(parent.pid)
    expect(children).toHaveLength(3)
    parent.kill('SIGKILL')
    await expect.poll(() => [...pids, ...children].filter(isAlive), PATIENCE).toEqual([])
  },
)

test.runIf(process.platform === 'linux')(
  'a process that has run its command ends by itself, and the keeper with it',
  async () => {
    const folder = await freshFolder()
    const file = await writeScript(
      join(folder, 'run'),
      'echo $$ > self',
      'until [ -e go ]; do sleep 0.1; done',
    )
    const parent = await started(folder, file)
    await pidIn(folder, 'self')
    const children = childrenOf(parent.pid)
    expect(children).toHaveLength(2)
    const ended = once(parent, 'exit')
    await writeScript(join(folder, 'go'))
    expect(await ended).toEqual([0, null])
    await expect.poll(() => children.filter(isAlive), PATIENCE).toEqual([])
  },
)
