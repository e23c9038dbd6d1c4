import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, onTestFinished, test } from 'vitest'

async function createFreshFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-log-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  return folder
}

/** Runs a script with a `logger` in its own process, through a shell command. */
function withLogger(to: { file: string } | 'stdout', script: string, through = 'exec "$@"') {
  const prelude = `
    import { createLogger } from '${new URL('./create-logger.ts', import.meta.url).href}'
    const logger = createLogger(${JSON.stringify(to)})
  `
  const node = [process.execPath, '--input-type=module', '-e', prelude + script]
  const child = spawn('/bin/sh', ['-c', through, 'sh', ...node], { stdio: ['pipe', 'pipe', 'pipe'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const code = new Promise((resolve) => child.once('close', resolve))
  return { child, ended: Promise.all([code, text(child.stderr)]) }
}

const LINES = `for (let n = 0; n < 300; n += 1) logger.info({ n, filling: 'x'.repeat(200) }, 'line')\n`

describe.runIf(existsSync('/dev/full'))('on a full disk', () => {
  test.each<[string, { file: string } | 'stdout', string]>([
    ['a file', { file: '/dev/full' }, 'exec "$@"'],
    ['standard output', 'stdout', 'exec "$@" > /dev/full'],
  ])('the program continues, reports it once, and ends normally: %s', async (_, to, through) => {
    const script = `${LINES} await new Promise((resolve) => setTimeout(resolve, 50)); ${LINES} process.exitCode = 7`
    const [code, said] = await withLogger(to, script, through).ended
    expect(said).toMatch(/^ {2}! The log .* cannot be written \(ENOSPC[^\n]*\n$/)
    expect(code).toBe(7)
  })
})

test('unwritten lines are kept and written later', async () => {
  const file = join(await createFreshFolder(), 'parley.log')
  const script = `${LINES}
    process.stdout.write('full')
    process.stdin.once('data', () => {
      logger.info({ n: 300 }, 'line')
      setImmediate(() => process.exit(0))
    })`
  // The file may have 50 KB, and a write beyond them is an error instead of the end of the process.
  const { child, ended } = withLogger({ file }, script, `trap '' XFSZ; ulimit -f 100; exec "$@"`)
  await once(child.stdout, 'data')
  const before = await readFile(file, 'utf8')
  expect(before).toHaveLength(51_200)
  await truncate(file)
  child.stdin.end('go on')
  const [code, said] = await ended
  expect(code).toBe(0)
  expect(said).toMatch(
    /^ {2}! The log \S+ cannot be written \(EFBIG.*\); Parley continues\n.* works again; 0 lines are missing\n$/,
  )
  const lines = (before + (await readFile(file, 'utf8'))).trim().split('\n')
  const numbers = lines.map((line) => (JSON.parse(line) as { n: number }).n)
  expect(numbers).toEqual(Array.from({ length: 301 }, (_, n) => n))
})

test('a log that cannot be opened is reported and stops nothing', async () => {
  const folder = await createFreshFolder()
  const [code, said] = await withLogger({ file: folder }, `${LINES} logger.error('bad')`).ended
  expect(code).toBe(0)
  expect(said).toMatch(
    /^ {2}! The log .* cannot be opened \(Error: EISDIR.*no log for this run\n {2}! bad\n$/,
  )
})

test('a large log is rotated at the start, and three old ones are kept', async () => {
  const folder = await createFreshFolder()
  const file = join(folder, 'logs', 'parley.log')
  const start = async () => expect(await withLogger({ file }, `logger.info('here')`).ended).toEqual([0, ''])
  await start()
  await start()
  expect(await readdir(join(folder, 'logs'))).toEqual(['parley.log'])
  for (const name of ['a', 'b', 'c', 'd', 'e']) {
    await writeFile(file, name.repeat(10 * 1024 * 1024 + 1))
    await start()
  }
  expect((await readdir(join(folder, 'logs'))).toSorted()).toEqual(
    ['', '.1', '.2', '.3'].map((end) => `parley.log${end}`),
  )
  expect((await readFile(`${file}.1`, 'utf8')).slice(0, 1)).toBe('e')
  expect((await readFile(`${file}.3`, 'utf8')).slice(0, 1)).toBe('c')
  expect(await readFile(file, 'utf8')).toContain('here')
  expect((await stat(file)).mode & 0o777).toBe(0o600)
})

test('a repeated error is shown once and without its cause, and logged each time', async () => {
  const file = join(await createFreshFolder(), 'parley.log')
  const script = `
    const err = new Error('The database does not respond (gone).', { cause: new Error('gone') })
    for (let n = 0; n < 3; n += 1) logger.error({ err }, 'events')`
  expect(await withLogger({ file }, script).ended).toEqual([
    0,
    '  ! events: The database does not respond (gone).\n',
  ])
  const lines = (await readFile(file, 'utf8')).trim().split('\n')
  expect(lines.map((line) => JSON.parse(line).err.cause.message)).toEqual(['gone', 'gone', 'gone'])
})
