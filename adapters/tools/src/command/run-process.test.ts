import { watch } from 'node:fs'
import { access, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { freshFolder, writeScriptThatLeavesChild, writeScript } from './command.fixture.ts'
import { type ProcessEnd, createBoundedOutput, runProcess } from './run-process.ts'

const start = (folder: string, file: string, signal: AbortSignal, timeoutMs = 60_000): Promise<ProcessEnd> =>
  runProcess(
    { file, name: file, args: [], folder, environment: { PATH: '/usr/bin:/bin' }, timeoutMs },
    signal,
  )

const never = new AbortController().signal

/** Resolves once a script has created a file. */
async function appears(folder: string, name: string): Promise<string> {
  const file = join(folder, name)
  const watcher = watch(folder)
  try {
    for (;;) {
      // Watch before reading: a change in between is not reported again.
      const changed = new Promise((resolve) => watcher.once('change', resolve))
      const text = await readFile(file, 'utf8').catch(() => '')
      if (text.endsWith('\n')) return text.trim()
      await changed
    }
  } finally {
    watcher.close()
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

async function hasEnded(pid: number): Promise<void> {
  await expect.poll(() => isAlive(pid), { timeout: 20_000 }).toBe(false)
}

test('both outputs are one text, decoded across chunks', async () => {
  const folder = await freshFolder()
  const file = await writeScript(
    join(folder, 'run'),
    String.raw`printf 'caf\303'`,
    String.raw`printf '\251 \377\n'`,
  )
  expect(await start(folder, file, never)).toEqual({
    kind: 'by-itself',
    exitCode: 0,
    signal: null,
    output: 'café \uFFFD\n',
  })
})

test('large output is bounded in memory', async () => {
  const folder = await freshFolder()
  const file = await writeScript(
    join(folder, 'run'),
    'head -c 30000000 /dev/zero | tr "\\0" x',
    'echo; echo end',
  )
  const { output } = await start(folder, file, never)
  expect(output.length).toBeLessThan(2_100_000)
  expect(output).toMatch(/^x+\n\[28000005 characters of the output left out here\]\nx+\nend\n$/)
})

test('a cancelled command ends with all its child processes', async () => {
  const folder = await freshFolder()
  const file = await writeScript(join(folder, 'run'), 'echo begun', 'sleep 600 &', 'echo $! > child', 'wait')
  const stop = new AbortController()
  const end = start(folder, file, stop.signal)
  const child = Number(await appears(folder, 'child'))
  stop.abort()
  expect(await end).toMatchObject({ kind: 'cancelled', output: 'begun\n' })
  await hasEnded(child)
})

test('a command cancelled before its start does not start', async () => {
  const folder = await freshFolder()
  const file = await writeScript(join(folder, 'run'), 'echo > begun')
  await expect(start(folder, file, AbortSignal.abort())).rejects.toThrow('aborted')
  await expect(access(join(folder, 'begun'))).rejects.toThrow('ENOENT')
})

test('a command that ignores SIGTERM is killed', async () => {
  const folder = await freshFolder()
  const file = await writeScript(
    join(folder, 'run'),
    `trap '' TERM`,
    'echo $$ > ready',
    'while :; do sleep 1; done',
  )
  const stop = new AbortController()
  const end = start(folder, file, stop.signal)
  const pid = Number(await appears(folder, 'ready'))
  stop.abort()
  expect(await end).toMatchObject({ kind: 'cancelled', signal: 'SIGKILL' })
  await hasEnded(pid)
})

test.runIf(process.platform === 'linux')(
  '[S13] attack: a process that left its parent, group and session is ended on cancel',
  async () => {
    const folder = await freshFolder()
    const file = await writeScriptThatLeavesChild(folder)
    const stop = new AbortController()
    const end = start(folder, file, stop.signal)
    const pid = Number(await appears(folder, 'daemon.pid'))
    stop.abort()
    expect(await end).toMatchObject({ kind: 'cancelled' })
    await hasEnded(pid)
  },
)

test.runIf(process.platform === 'linux')(
  '[S13] attack: a child that emptied its environment and its group is ended with its parent',
  async () => {
    const folder = await freshFolder()
    const inner = await writeScript(join(folder, 'inner'), 'echo $$ > inner.pid', 'exec sleep 600')
    const file = await writeScript(join(folder, 'run'), `env -i setsid -w ${inner}`)
    const stop = new AbortController()
    const end = start(folder, file, stop.signal)
    const pid = Number(await appears(folder, 'inner.pid'))
    stop.abort()
    expect(await end).toMatchObject({ kind: 'cancelled' })
    await hasEnded(pid)
  },
)

test.each([
  ['holds the output', 'sleep 600 &'],
  ['holds nothing', 'sleep 600 > /dev/null 2>&1 &'],
])('[S13] attack: a background process that %s is ended with its command', async (_, line) => {
  const folder = await freshFolder()
  const file = await writeScript(join(folder, 'run'), line, 'echo $! > child', 'echo done')
  expect(await start(folder, file, never)).toMatchObject({ kind: 'by-itself', exitCode: 0, output: 'done\n' })
  await hasEnded(Number(await readFile(join(folder, 'child'), 'utf8')))
})

test('a command that takes too long is ended', async () => {
  const folder = await freshFolder()
  const file = await writeScript(join(folder, 'run'), 'exec sleep 600')
  expect(await start(folder, file, never, 300)).toMatchObject({ kind: 'timed-out' })
})

test('large output keeps its beginning and end, with the length of the omitted part', () => {
  const output = createBoundedOutput(4)
  for (const piece of ['ab', 'cdef', 'ghijklmn', 'op', 'qrst']) output.add(piece)
  expect(output.text()).toBe('abcd\n[12 characters of the output left out here]\nqrst')
})

test('beginning, omitted part and end add up to the whole, for any chunks', () => {
  const piece = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 40 })
  fc.assert(
    fc.property(fc.array(piece), fc.integer({ min: 1, max: 30 }), (pieces, most) => {
      const output = createBoundedOutput(most)
      pieces.forEach((each) => output.add(each))
      const whole = pieces.join('')
      const left = whole.length - 2 * most
      const expected =
        left <= 0
          ? whole
          : `${whole.slice(0, most)}\n[${left} characters of the output left out here]\n${whole.slice(-most)}`
      expect(output.text()).toBe(expected)
    }),
  )
})

test.each([
  ['colours', '\u001B[31mred\u001B[0m', 'red'],
  ['a title', '\u001B]0;title\u0007text', 'text'],
  ['a link', '\u001B]8;;https://example.org\u0007text\u001B]8;;\u0007', 'text'],
  ['line ends of Windows', 'a\r\nb', 'a\nb'],
  ['a progress bar', '10%\r20%', '10%\n20%'],
  ['bells and backspaces', 'a\u0007b\bc', 'abc'],
  ['tabs stay', 'a\tb\n', 'a\tb\n'],
])('%s: only plain text remains', (_, given, expected) => {
  const output = createBoundedOutput()
  output.add(given)
  expect(output.text()).toBe(expected)
})
