import { PassThrough } from 'node:stream'
import type { ReadStream, WriteStream } from 'node:tty'
import { afterEach, expect, test } from 'vitest'
import { createStyle } from '../render/style.ts'
import type { Prompt } from './prompt.ts'
import { openRawPrompt } from './raw-prompt.ts'

/** A terminal without a screen: keys go in, what is written comes out. */
function terminal(history: readonly string[] = []) {
  const modes: boolean[] = []
  const input = Object.assign(new PassThrough(), { setRawMode: (raw: boolean) => modes.push(raw) })
  const output = Object.assign(new PassThrough(), { columns: 40, rows: 10 })
  const prompt = openRawPrompt(
    { input: input as unknown as ReadStream, output: output as unknown as WriteStream },
    { history, style: createStyle(false) },
  )
  opened.push(prompt)
  const written = () => String(output.read() ?? '')
  return { prompt, modes, written, type: (keys: string) => input.write(keys) }
}

const opened: Prompt[] = []
afterEach(() => {
  for (const prompt of opened.splice(0)) prompt.close()
})

test('a line is read, and what was typed ahead is the next one', async () => {
  const { prompt, type } = terminal()
  const first = prompt.ask()
  type('one\rtwo\r')
  expect(await first).toBe('one')
  expect(await prompt.ask()).toBe('two')
})

test('a paste of several lines is shown and is one message', async () => {
  const { prompt, type, written } = terminal()
  const asked = prompt.ask()
  type('\x1b[200~one\rtwo\x1b[201~')
  await new Promise(setImmediate)
  expect(written()).toContain('› one\r\n  two')
  type('\r')
  expect(await asked).toBe('one\ntwo')
})

test('what was sent before comes back, from this run and from the session', async () => {
  const { prompt, type } = terminal(['earlier'])
  const first = prompt.ask()
  type('now\r')
  await first
  const second = prompt.ask()
  type('\x1b[A\x1b[A\r')
  expect(await second).toBe('earlier')
})

test('ctrl-c while something is worked on interrupts it and drops what was typed ahead', async () => {
  const { prompt, type } = terminal()
  const work = Promise.withResolvers<string>()
  const during = prompt.during(work.promise, () => work.resolve('interrupted'))
  type('typed ahead\r\x03')
  expect(await during).toBe('interrupted')
  const asked = prompt.ask()
  type('new\r')
  expect(await asked).toBe('new')
})

test('ctrl-c between sending and the work on it counts, too', async () => {
  const { prompt, type } = terminal()
  const asked = prompt.ask()
  type('go\r\x03')
  await asked
  const work = Promise.withResolvers<string>()
  expect(await prompt.during(work.promise, () => work.resolve('interrupted'))).toBe('interrupted')
})

test.each([
  ['y and enter', 'y\r', 'yes'],
  ['yes in capitals', 'YES\r', 'yes'],
  ['enter alone', '\r', 'no'],
  ['n', 'n\r', 'no'],
  ['y taken back', 'y\x7f\r', 'no'],
  ['ctrl-c', 'y\x03', 'leave'],
  ['ctrl-d', '\x04', 'leave'],
])('a question is answered by %s', async (_, keys, expected) => {
  const { prompt, type, written } = terminal()
  const asked = prompt.confirm('Delete it?')
  expect(written()).toContain('Delete it? [y/N] ')
  type(keys)
  expect(await asked).toBe(expected)
})

test('a question is asked again after what is neither yes nor no', async () => {
  const { prompt, type, written } = terminal()
  const asked = prompt.confirm('Delete it?')
  type('yet more\r')
  await new Promise(setImmediate)
  expect(written()).toMatch(/Delete it\? \[y\/N\] yet more\r\nDelete it\? \[y\/N\] $/)
  type('y\r')
  expect(await asked).toBe('yes')
})

test('what was typed ahead answers no question, and is the next message', async () => {
  const { prompt, type } = terminal()
  const work = Promise.withResolvers<void>()
  const during = prompt.during(work.promise, () => undefined)
  type('yes\r')
  await new Promise(setImmediate)
  work.resolve()
  await during
  const asked = prompt.confirm('Allow it?')
  type('n\r')
  expect(await asked).toBe('no')
  expect(await prompt.ask()).toBe('yes')
})

test('closing leaves a question open', async () => {
  const { prompt } = terminal()
  const asked = prompt.confirm('Delete it?')
  prompt.close()
  expect(await asked).toBe('leave')
  expect(await prompt.confirm('Really?')).toBe('leave')
})

test.each([
  ['ctrl-d', '\x04'],
  ['ctrl-c twice', '\x03\x03'],
])('%s leaves', async (_, keys) => {
  const { prompt, type } = terminal()
  const asked = prompt.ask()
  type(keys)
  expect(await asked).toBeUndefined()
})

test('one ctrl-c says how to leave', async () => {
  const { prompt, type, written } = terminal()
  void prompt.ask()
  type('\x03')
  await new Promise(setImmediate)
  expect(written()).toContain('Press Ctrl-C again to leave.')
})

test('closing gives the terminal back and ends what was asked', async () => {
  const { prompt, modes, written } = terminal()
  const asked = prompt.ask()
  expect(modes).toEqual([true])
  expect(written()).toContain('\x1b[?2004h')
  prompt.close()
  expect(await asked).toBeUndefined()
  expect(modes).toEqual([true, false])
  expect(written()).toContain('\x1b[?2004l')
  expect(await prompt.ask()).toBeUndefined()
})
