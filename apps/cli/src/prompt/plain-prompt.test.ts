import { PassThrough } from 'node:stream'
import { afterEach, expect, test } from 'vitest'
import { openPlainPrompt } from './plain-prompt.ts'
import type { Prompt } from './prompt.ts'

function terminal() {
  const input = new PassThrough()
  const output = new PassThrough()
  const prompt = openPlainPrompt({ input, output })
  opened.push(prompt)
  return { prompt, input, written: () => String(output.read() ?? '') }
}

const opened: Prompt[] = []
afterEach(() => {
  for (const prompt of opened.splice(0)) prompt.close()
})

test('lines are read one by one, and the end of input quits', async () => {
  const { prompt, input } = terminal()
  input.end('one\n\ntwo\n')
  expect(await prompt.ask()).toBe('one')
  expect(await prompt.ask()).toBe('two')
  expect(await prompt.ask()).toBeUndefined()
})

test('a backslash at the end continues the line', async () => {
  const { prompt, input } = terminal()
  input.write('one\\\ntwo\n')
  expect(await prompt.ask()).toBe('one\ntwo')
})

test('only text is written, no escape codes', async () => {
  const { prompt, input, written } = terminal()
  const asked = prompt.ask()
  input.write('one\n')
  await asked
  expect(written()).toBe('> ')
})

test('the first interrupt shows how to quit, the second quits', async () => {
  const { prompt, written } = terminal()
  const asked = prompt.ask()
  process.emit('SIGINT')
  expect(written()).toContain('Press Ctrl-C again to quit.')
  process.emit('SIGINT')
  expect(await asked).toBeUndefined()
})

test('an interrupt during work goes to the work', async () => {
  const { prompt } = terminal()
  const work = Promise.withResolvers<string>()
  const during = prompt.during(work.promise, () => work.resolve('interrupted'))
  process.emit('SIGINT')
  expect(await during).toBe('interrupted')
})

test('a question is answered by a line, and repeated after an unclear answer', async () => {
  const { prompt, input, written } = terminal()
  const asked = prompt.confirm('Delete it?')
  input.write('what?\ny\n')
  expect(await asked).toBe('yes')
  expect(written()).toBe('Delete it? [y/N] Delete it? [y/N] ')
})

test('text typed ahead does not answer a question and is the next message', async () => {
  const { prompt, input } = terminal()
  const first = prompt.ask()
  input.write('one\nyes\n')
  expect(await first).toBe('one')
  const asked = prompt.confirm('Allow it?')
  input.write('\n')
  expect(await asked).toBe('no')
  expect(await prompt.ask()).toBe('yes')
})

test.each<[string, (at: ReturnType<typeof terminal>) => void]>([
  ['an interrupt', () => process.emit('SIGINT')],
  ['the end of the input', ({ input }) => input.end()],
  ['closing', ({ prompt }) => prompt.close()],
])('%s leaves a question open', async (_, leave) => {
  const at = terminal()
  const asked = at.prompt.confirm('Delete it?')
  leave(at)
  expect(await asked).toBe('leave')
})
