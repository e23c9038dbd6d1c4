import { chmod, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { startBundledPostgres } from './start-bundled-postgres.ts'
import { createFolder, runSql, createUsedHome } from './testing/test-cluster.ts'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

test('the first start creates the database, later ones keep its content', async () => {
  const home = join(await createFolder(), 'home')
  const steps: string[] = []
  const first = await startBundledPostgres({ home, onStep: (what) => steps.push(what) })
  expect(first.outcome).toBe('created')
  expect(steps).toEqual(['Creating the database', 'Starting Postgres'])
  await runSql(first.url, `create table note as select 'kept' as word`)
  await first.stop()

  const second = await startBundledPostgres({ home })
  onTestFinished(() => second.stop())
  expect(second.outcome).toBe('started')
  expect(await runSql(second.url, 'select word from note')).toEqual([{ word: 'kept' }])
})

test('the server is reachable only from this machine, with a password that only we can read', async () => {
  const home = await createUsedHome()
  const { url, stop } = await startBundledPostgres({ home })
  onTestFinished(stop)
  expect(await settings(url)).toEqual({
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    server_encoding: 'UTF8',
    fsync: 'on',
    synchronous_commit: 'on',
    jit: 'off',
  })
  await expect(runSql(url.replace(/:[^:]*@/, ':wrong@'), 'select')).rejects.toMatchObject({ code: '28P01' })
  expect((await stat(join(home, 'postgres', 'password'))).mode & 0o777).toBe(0o600)
  expect((await stat(join(home, 'postgres', 'postgres.log'))).mode & 0o777).toBe(0o600)
})

test('a password file that others could read is restricted to us, with one notice', async () => {
  const home = await createUsedHome()
  const file = join(home, 'postgres', 'password')
  await chmod(file, 0o644)
  const notices: string[] = []
  const start = () => startBundledPostgres({ home, onNotice: (notice) => notices.push(notice) })
  const { stop } = await start()
  onTestFinished(stop)
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  await start()
  expect(notices).toEqual([
    expect.stringMatching(/^Other users could read the database password in .*no longer can/),
  ])
})

test('an error that quotes a row leaves nothing of it in the log', async () => {
  const home = await createUsedHome()
  const { url, stop } = await startBundledPostgres({ home })
  onTestFinished(stop)
  await runSql(url, 'create table person (name text primary key)')
  await runSql(url, `insert into person values ('Ada')`)
  await expect(runSql(url, `insert into person values ('Ada')`)).rejects.toThrow('duplicate key')
  expect(await readFile(join(home, 'postgres', 'postgres.log'), 'utf8')).not.toContain('Ada')
})

test('stopping twice, or stopping a server that is already gone, is no error', async () => {
  const { url, stop } = await startBundledPostgres({ home: await createUsedHome() })
  await Promise.all([stop(), stop()])
  await stop()
  await expect(runSql(url, 'select')).rejects.toMatchObject({ code: 'ECONNREFUSED' })
})

test.each([
  ['lost', (path: string) => rm(path)],
  ['emptied', (path: string) => writeFile(path, '')],
])('a password file that was %s is created again, and the server accepts it', async (_, spoil) => {
  const home = await createUsedHome()
  const first = await startBundledPostgres({ home })
  await spoil(join(home, 'postgres', 'password'))
  const next = await startBundledPostgres({ home })
  onTestFinished(next.stop)
  expect(new URL(next.url).password).not.toBe(new URL(first.url).password)
  expect(await runSql(next.url, 'select 1 as one')).toEqual([{ one: 1 }])
})

test('a password file without data is used for the new server', async () => {
  const home = await createFolder()
  await mkdir(join(home, 'postgres'))
  await writeFile(join(home, 'postgres', 'password'), 'from-before')
  const server = await startBundledPostgres({ home })
  onTestFinished(server.stop)
  expect(server.outcome).toBe('created')
  expect(new URL(server.url).password).toBe('from-before')
})

test('data of another Postgres version is refused with the server’s own message', async () => {
  const home = await createUsedHome()
  const { stop } = await startBundledPostgres({ home })
  await stop()
  await writeFile(join(home, 'postgres', 'data', 'PG_VERSION'), '12\n')
  await expect(startBundledPostgres({ home })).rejects.toMatchObject({
    code: 'database_unavailable',
    message: expect.stringMatching(/DATABASE_URL[^]*initialized by PostgreSQL version 12/),
  })
})

async function settings(url: string) {
  const rows = await runSql(
    url,
    `select name, setting from pg_settings where name in ('listen_addresses', 'unix_socket_directories', 'server_encoding', 'fsync', 'synchronous_commit', 'jit')`,
  )
  return Object.fromEntries(rows.map(({ name, setting }) => [name, setting]))
}
