import { spawnSync } from 'node:child_process'
import { chown, mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { findBinaries, chooseLauncher, runProgram, findServerUser } from './cluster.ts'
import { startBundledPostgres } from './start-bundled-postgres.ts'
import { createFolder, isRoot, startInChild } from './testing/test-cluster.ts'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

const NOBODY = 65_534
const DAC_READ_SEARCH = 1 << 2
const DAC_OVERRIDE = 1 << 1

test('a file in place of the home folder is reported', async () => {
  const file = join(await createFolder(), 'file')
  await writeFile(file, '')
  await expect(startBundledPostgres({ home: join(file, 'home') })).rejects.toMatchObject({
    code: 'database_unavailable',
    message: expect.stringContaining('a part of that path is a file. Set PARLEY_HOME'),
  })
})

describe.runIf(isRoot && spawnSync('setpriv', ['--version']).status === 0)('as root', () => {
  test('the server runs as another user, without capabilities if that user can enter the folders', async () => {
    const { pid, stop } = await startBundledPostgres({ home: await createFolder(0o755) })
    onTestFinished(stop)
    expect((await stat(`/proc/${pid}`)).uid).not.toBe(0)
    // The programs are inside this clone, which that user may be unable to enter.
    expect(await readCapabilities(pid)).toBe(canNobodyRead() ? 0 : DAC_READ_SEARCH)
  })

  test('a home that only root can enter works', async () => {
    const { pid, stop } = await startBundledPostgres({ home: await createFolder(0o700) })
    onTestFinished(stop)
    expect((await stat(`/proc/${pid}`)).uid).not.toBe(0)
    expect(await readCapabilities(pid)).toBe(DAC_READ_SEARCH)
  })

  test('programs in a folder that only root can enter work', async () => {
    const closed = await createFolder(0o700)
    await symlink(dirname(dirname(findBinaries().postgres)), join(closed, 'native'))
    const initdb = join(closed, 'native', 'bin', 'initdb')
    const launcher = await chooseLauncher(await findServerUser('/nowhere'), initdb, '/')
    expect(launcher.command).toContain('setpriv')
    // With --show, initdb looks for postgres beside itself and creates nothing.
    expect(await runProgram(launcher, initdb, ['--show', '-D', join(closed, 'data')])).toMatchObject({
      code: 0,
    })
  })

  test('the usual rights of a container are enough', async () => {
    const home = await createFolder(0o700)
    const { pid } = await startInChild(home, { through: ['setpriv', '--bounding-set=-dac_read_search'] })
      .outcome
    const server = await startBundledPostgres({ home })
    onTestFinished(server.stop)
    expect(server).toMatchObject({ outcome: 'adopted', pid })
    expect(await readCapabilities(server.pid)).toBe(DAC_OVERRIDE)
  })

  test('if no user works, the message says what would', async () => {
    const home = await createFolder(0o700)
    const refused = await startInChild(home, { through: ['setpriv', '--bounding-set=-setpcap'] }).outcome
    expect(refused).toMatchObject({
      code: 'database_unavailable',
      message: expect.stringMatching(
        /cannot reach .*Run Parley as a normal user, .*PARLEY_HOME.*DATABASE_URL/,
      ),
    })
  })
})

describe.runIf(isRoot && canNobodyRead())('as a normal user (run by root)', () => {
  test('the server runs as that user, and root can adopt it and return it', async () => {
    const folder = await createFolder(0o755)
    const home = join(folder, 'home')
    await mkdir(home)
    await chown(home, NOBODY, NOBODY)
    const first = await startInChild(home, { uid: NOBODY }).outcome
    expect(first.outcome).toBe('created')

    const adopted = await startBundledPostgres({ home })
    expect(adopted).toMatchObject({ outcome: 'adopted', pid: first.pid, url: first.url })
    expect((await stat(`/proc/${adopted.pid}`)).uid).toBe(NOBODY)
    await adopted.stop()

    const ours = await startBundledPostgres({ home })
    expect((await stat(`/proc/${ours.pid}`)).uid).toBe(NOBODY)
    await ours.stop()

    const theirs = await startInChild(home, { uid: NOBODY }).outcome
    expect(theirs.outcome).toBe('started')
    await (await startBundledPostgres({ home })).stop()
  })

  test('a home that this user cannot write is reported', async () => {
    const folder = await createFolder(0o755)
    const refused = await startInChild(join(folder, 'home'), { uid: NOBODY }).outcome
    expect(refused).toMatchObject({
      code: 'database_unavailable',
      message: expect.stringContaining('this user may not write there. Set PARLEY_HOME'),
    })
  })
})

async function readCapabilities(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number.parseInt(/^CapEff:\s*(\w+)/m.exec(status)?.[1] ?? '', 16)
}

function canNobodyRead(): boolean {
  const script = `fs.readFileSync(${JSON.stringify(import.meta.filename)})`
  return spawnSync(process.execPath, ['-e', script], { uid: NOBODY, gid: NOBODY }).status === 0
}
