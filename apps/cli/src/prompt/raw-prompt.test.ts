import { PassThrough } from 'node:stream'
import type { ReadStream, WriteStream } from 'node:tty'
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { createStyle } from '../render/display.ts'
import { screenAfter } from '../testing/terminal.ts'
import type { Prompt } from './prompt.ts'
import { openRawPrompt } from './raw-prompt.ts'

/** A terminal without a screen: takes keys and returns the output. */
function terminal(
  history: readonly string[] = [],
  host: Partial<Parameters<typeof openRawPrompt>[1]> = {},
  rows = 10,
) {
  const modes: boolean[] = []
  const input = Object.assign(new PassThrough(), { setRawMode: (raw: boolean) => modes.push(raw) })
  const output = Object.assign(new PassThrough(), { columns: 40, rows })
  const prompt = openRawPrompt(
    { input: input as unknown as ReadStream, output: output as unknown as WriteStream },
    { history, style: createStyle(false), ...host },
  )
  opened.push(prompt)
  const written = () => String(output.read() ?? '')
  let all = ''
  /** The rows of the screen after all typed keys are handled. */
  const screen = async () => {
    for (let round = 0; round < 5; round += 1) await new Promise(setImmediate)
    all += written()
    return screenAfter(all).lines
  }
  const resize = (columns: number) => {
    output.columns = columns
    output.emit('resize')
  }
  return { prompt, modes, written, screen, resize, type: (keys: string) => input.write(keys) }
}

const opened: Prompt[] = []
afterEach(() => {
  for (const prompt of opened.splice(0)) prompt.close()
})

test('a line is read, and text typed ahead is the next one', async () => {
  const { prompt, type } = terminal()
  const first = prompt.ask()
  type('one\rtwo\r')
  expect(await first).toBe('one')
  expect(await prompt.ask()).toBe('two')
})

test('a multi-line paste is shown and is one message', async () => {
  const { prompt, type, written } = terminal()
  const asked = prompt.ask()
  type('\x1b[200~one\rtwo\x1b[201~')
  await new Promise(setImmediate)
  expect(written()).toContain('› one\x1b[K\r\n  two')
  type('\r')
  expect(await asked).toBe('one\ntwo')
})

test('up brings back messages of this run and of the session', async () => {
  const { prompt, type } = terminal(['earlier'])
  const first = prompt.ask()
  type('now\r')
  await first
  const second = prompt.ask()
  type('\x1b[A\x1b[A\r')
  expect(await second).toBe('earlier')
})

test('ctrl-c during work interrupts it and drops text typed ahead', async () => {
  const { prompt, type } = terminal()
  const work = Promise.withResolvers<string>()
  const during = prompt.during(work.promise, () => work.resolve('interrupted'))
  type('typed ahead\r\x03')
  expect(await during).toBe('interrupted')
  const asked = prompt.ask()
  type('new\r')
  expect(await asked).toBe('new')
})

test('ctrl-c between sending and the start of the work counts, too', async () => {
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
  ['only enter', '\r', 'no'],
  ['n', 'n\r', 'no'],
  ['y, then backspace', 'y\x7f\r', 'no'],
  ['ctrl-c', 'y\x03', 'leave'],
  ['ctrl-d', '\x04', 'leave'],
])('a question is answered by %s', async (_, keys, expected) => {
  const { prompt, type, written } = terminal()
  const asked = prompt.confirm('Delete it?')
  expect(written()).toContain('Delete it? [y/N] ')
  type(keys)
  expect(await asked).toBe(expected)
})

test.each([
  ['s', 's\r', 'session'],
  ['the whole word', 'Session\r', 'session'],
  ['v', 'v\r', 'view'],
  ['only enter', '\r', 'no'],
  ['s, then backspace', 's\x7f\r', 'no'],
  ['ctrl-c', 's\x03', 'leave'],
])('a question with offers is answered by %s', async (_, keys, expected) => {
  const { prompt, type, written } = terminal()
  const asked = prompt.confirm('Allow it?\n  s  always', ['session', 'view'])
  expect(written()).toContain('Allow it?\r\n  s  always\r\n[y/s/v/N] ')
  type(keys)
  expect(await asked).toBe(expected)
})

test('an answer that is not offered does not count', async () => {
  const { prompt, type, written } = terminal()
  const asked = prompt.confirm('Delete it?')
  type('s\rv\ry\r')
  expect(await asked).toBe('yes')
  expect(written().match(/Delete it\?/g)).toHaveLength(3)
})

test('a question is repeated after an unclear answer', async () => {
  const { prompt, type, written } = terminal()
  const asked = prompt.confirm('Delete it?')
  type('yet more\r')
  await new Promise(setImmediate)
  expect(written()).toMatch(/Delete it\? \[y\/N\] yet more\r\nDelete it\? \[y\/N\] $/)
  type('y\r')
  expect(await asked).toBe('yes')
})

test('text typed ahead does not answer a question and is the next message', async () => {
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
])('%s quits', async (_, keys) => {
  const { prompt, type } = terminal()
  const asked = prompt.ask()
  type(keys)
  expect(await asked).toBeUndefined()
})

test('one ctrl-c shows how to quit', async () => {
  const { prompt, type, written } = terminal()
  void prompt.ask()
  type('\x03')
  await new Promise(setImmediate)
  expect(written()).toContain('Press Ctrl-C again to quit.')
})

test('closing restores the terminal and ends the question', async () => {
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

test('a draft is pre-filled and can be edited', async () => {
  const { prompt, type, screen } = terminal()
  const asked = prompt.ask('see @nots.md')
  expect(await screen()).toEqual(['› see @nots.md'])
  type('\x17\x17notes.md\r')
  expect(await asked).toBe('see @notes.md')
})

test('the status is below the line while typing, and disappears with it', async () => {
  let model = 'small'
  const { prompt, type, screen } = terminal([], { status: () => `Helper · ${model}` })
  const asked = prompt.ask()
  expect(await screen()).toEqual(['›', 'Helper · small'])
  model = 'large'
  type('two\nlines')
  expect(await screen()).toEqual(['› two', '  lines', 'Helper · large'])
  type('\r')
  await asked
  expect(await screen()).toEqual(['› two', '  lines', ''])
})

test('a resized terminal shows the line again', async () => {
  const { prompt, type, screen, resize } = terminal()
  void prompt.ask()
  type('word '.repeat(9))
  expect(await screen()).toHaveLength(2)
  resize(30)
  const lines = await screen()
  expect(lines.slice(-2)).toEqual(['› word word word word word wo', '  rd word word word'])
})

test('ctrl-r finds sent messages, further back each time; esc returns to the draft', async () => {
  const { prompt, type, screen } = terminal(['Oslo in May', 'Rome', 'oslo again'])
  const asked = prompt.ask()
  type('draft\x12oslo')
  expect(await screen()).toEqual(['› oslo again', 'search: oslo'])
  type('\x12')
  expect(await screen()).toEqual(['› Oslo in May', 'search: oslo'])
  type('x')
  expect((await screen())[1]).toContain('no match')
  type('\x7f\x12\x05!\r')
  expect(await asked).toBe('Oslo in May!')
})

test('a cancelled search keeps the draft', async () => {
  const { prompt, type } = terminal(['Rome'])
  const asked = prompt.ask()
  type('draft\x12Ro\x07\r')
  expect(await asked).toBe('draft')
})

test('messages of other sessions come before those of this one', async () => {
  const { prompt, type, screen } = terminal(['here'], { earlier: async () => ['elsewhere'] })
  const asked = prompt.ask()
  await screen()
  type('\x1b[A\x1b[A\r')
  expect(await asked).toBe('elsewhere')
})

const complete = async (text: string, cursor: number) => {
  const all = ['/fork ', '/files ', '/help ']
  const candidates = all
    .filter((each) => each.startsWith(text.slice(0, cursor)))
    .map((each) => ({ text: each }))
  return { from: 0, to: cursor, candidates }
}

describe('tab', () => {
  test('inserts the only candidate', async () => {
    const { prompt, type, screen } = terminal([], { complete })
    void prompt.ask()
    type('/h\t')
    expect(await screen()).toEqual(['› /help'])
  })

  test('lists several candidates, cycles through them, and enter inserts one without sending', async () => {
    const { prompt, type, screen } = terminal([], { complete })
    const asked = prompt.ask()
    type('/\t')
    expect(await screen()).toEqual(['› /', '  /fork', '  /files', '  /help'])
    type('\t\t')
    expect(await screen()).toEqual(['› /files', '  /fork', '› /files', '  /help'])
    type('\x1b[Z\r')
    expect(await screen()).toEqual(['› /fork'])
    type('now\r')
    expect(await asked).toBe('/fork now')
  })

  test('does nothing without candidates', async () => {
    const { prompt, type, screen } = terminal([], { complete })
    void prompt.ask()
    type('x\t')
    expect(await screen()).toEqual(['› x'])
  })
})

describe('the editor', () => {
  test('edits the line', async () => {
    const { prompt, type, screen, modes } = terminal([], {
      edit: async (text) => ({ kind: 'edited', text: `${text}\nmore` }),
    })
    const asked = prompt.ask()
    type('some\x07')
    expect(await screen()).toEqual(['› some', '  more'])
    expect(modes).toEqual([true, false, true])
    type('\r')
    expect(await asked).toBe('some\nmore')
  })

  test('that cannot be started is reported below the line, which stays', async () => {
    const { prompt, type, screen } = terminal([], {
      edit: async (text) => ({ kind: 'failed', text, reason: 'The editor was not found.' }),
    })
    void prompt.ask()
    type('some\x07')
    expect(await screen()).toEqual(['› some', 'The editor was not found.'])
  })
})

test('a large paste is drawn once and kept whole', async () => {
  const { prompt, type, screen } = terminal()
  const asked = prompt.ask()
  const text = 'a line of text\n'.repeat(20_000)
  type(`\x1b[200~${text}\x1b[201~`)
  expect((await screen()).length).toBeLessThanOrEqual(10)
  type('\r')
  expect(await asked).toBe(text)
})

test('after any input, the screen shows its end', async () => {
  const keys = fc.constantFrom(
    'a',
    'b ',
    '漢',
    '\n',
    '\x7f',
    '\x1b[D',
    '\x1b[C',
    '\x01',
    '\x05',
    '\x0b',
    '\x15',
    '\x17',
    '\x19',
    '\x1f',
  )
  await fc.assert(
    fc.asyncProperty(fc.array(keys, { maxLength: 30 }), async (pressed) => {
      const { prompt, type, screen } = terminal([], { status: () => 'status' }, 50)
      const asked = prompt.ask()
      for (const key of pressed) {
        type(key)
        if (key === 'a') await screen()
      }
      const lines = await screen()
      type('!\r')
      const text = (await asked) ?? ''
      expect(lines.at(-1)).toBe('status')
      const shown = lines
        .slice(0, -1)
        .map((line) => line.slice(2))
        .join('')
      expect(shown.replace(/\s/g, '')).toBe(text.replace('!', '').replace(/\s/g, ''))
      prompt.close()
    }),
    { numRuns: 50 },
  )
})
