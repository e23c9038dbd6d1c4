import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { Client } from 'pg'
import { expect, onTestFinished, test, vi } from 'vitest'
import { readPostmasterFile } from './postmaster.ts'
import { startBundledPostgres } from './start-bundled-postgres.ts'
import {
  createFolder,
  isRoot,
  runSql,
  startInChild,
  waitUntil,
  createUsedHome,
} from './testing/test-cluster.ts'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

test('[X4] a running server is adopted after its starter ended', async () => {
  const home = await createUsedHome()
  const { url, pid } = await startInChild(home).outcome
  const server = await startBundledPostgres({ home })
  onTestFinished(server.stop)
  expect(server).toMatchObject({ outcome: 'adopted', url, pid })
})

test('[X4] a killed server restarts on its port with all committed data', async () => {
  const home = await createUsedHome()
  const first = await startBundledPostgres({ home })
  await runSql(first.url, 'create table tally (n int)')
  for (const n of [1, 2, 3]) {
    await runSql(first.url, `insert into tally values (${n})`)
    const { pid } = await startBundledPostgres({ home })
    process.kill(pid, 'SIGKILL')
    const next = await startBundledPostgres({ home })
    onTestFinished(next.stop)
    expect(next).toMatchObject({ outcome: 'started', url: first.url })
    expect(await runSql(next.url, 'select count(*)::int as n from tally')).toEqual([{ n }])
  }
})

test('[X4] a busy backend of a killed server does not block the next server', async () => {
  const home = await createUsedHome()
  const first = await startBundledPostgres({ home })
  const busy = new Client(first.url)
  busy.on('error', () => {})
  await busy.connect()
  const answer = busy.query('select count(*) from generate_series(1, 1000000000)').catch(String)
  await waitUntil(async () => (await runSql(first.url, BUSY)).length === 1)
  process.kill(first.pid, 'SIGKILL')

  const next = await startBundledPostgres({ home })
  onTestFinished(next.stop)
  expect(next.outcome).toBe('started')
  expect(await answer).toContain('Connection terminated')
})

test('[X4] a first start that was killed half-way is completed by the next start', async () => {
  const home = await createFolder()
  const child = startInChild(home)
  await waitUntil(async () =>
    (await listDrafts(home)).some((name) => existsSync(join(home, 'postgres', name, 'data', 'base'))),
  )
  child.kill()
  await child.outcome
  expect(existsSync(join(home, 'postgres', 'data'))).toBe(false)

  const server = await startBundledPostgres({ home })
  onTestFinished(server.stop)
  expect(server.outcome).toBe('created')
  expect(await listDrafts(home)).toEqual([])
})

test('a server that is shutting down is awaited and started again', async () => {
  const home = await createUsedHome()
  const first = await startBundledPostgres({ home })
  const stopping = first.stop()
  await waitUntil(async () => (await readPostmasterFile(join(home, 'postgres', 'data')))?.status !== 'ready')
  const next = await startBundledPostgres({ home })
  onTestFinished(next.stop)
  await stopping
  expect(next.outcome).toBe('started')
  expect(next.pid).not.toBe(first.pid)
  expect(await runSql(next.url, 'select 1 as one')).toEqual([{ one: 1 }])
})

test('processes that start together share one server', async () => {
  const home = await createFolder()
  const starts = await Promise.all([1, 2, 3].map(() => startInChild(home).outcome))
  const server = await startBundledPostgres({ home })
  onTestFinished(server.stop)
  expect(starts.filter(({ outcome }) => outcome === 'created')).toHaveLength(1)
  expect(starts.filter(({ outcome }) => outcome === 'adopted')).toHaveLength(2)
  expect(new Set(starts.map(({ url }) => url))).toEqual(new Set([server.url]))
  expect(await listDrafts(home)).toEqual([])
})

test('another program with the server’s process id is not mistaken for the server', async () => {
  const home = await createUsedHome()
  const first = await startBundledPostgres({ home })
  const other = await startOtherProgram(home)
  const pidFile = join(home, 'postgres', 'data', 'postmaster.pid')
  const left = await readFile(pidFile, 'utf8')
  await first.stop()
  await writeFile(pidFile, left.replace(/^\d+/, String(other.pid)))

  const next = await startBundledPostgres({ home })
  onTestFinished(next.stop)
  expect(next.outcome).toBe('started')
  expect(other.exitCode).toBeNull()
})

test('a port that another program has taken is replaced by another port', async () => {
  const home = await createUsedHome()
  const first = await startBundledPostgres({ home })
  process.kill(first.pid, 'SIGKILL')
  const squatter = createServer()
  onTestFinished(() => void squatter.close())
  await waitUntil(async () => {
    squatter.listen(Number(new URL(first.url).port), '127.0.0.1')
    return once(squatter, 'listening').then(
      () => true,
      () => false,
    )
  })
  const next = await startBundledPostgres({ home })
  onTestFinished(next.stop)
  expect(next.outcome).toBe('started')
  expect(next.url).not.toBe(first.url)
})

const BUSY = `select from pg_stat_activity where state = 'active' and query like '%generate_series%' and pid <> pg_backend_pid()`

async function listDrafts(home: string): Promise<readonly string[]> {
  const folder = join(home, 'postgres')
  return existsSync(folder) ? (await readdir(folder)).filter((name) => name.startsWith('data.')) : []
}

async function startOtherProgram(home: string) {
  const { uid, gid } = await stat(join(home, 'postgres', 'data'))
  const program = spawn('sleep', ['60'], isRoot ? { uid, gid } : {})
  onTestFinished(() => void program.kill())
  await once(program, 'spawn')
  return program
}
