import { emitKeypressEvents } from 'node:readline'
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { createKeyReader, type Key } from './raw-terminal.ts'

/** The keys that a terminal's bytes stand for. */
function readKeys(...chunks: readonly string[]): readonly Key[] {
  const keys: Key[] = []
  const read = createKeyReader()
  const input = new PassThrough()
  emitKeypressEvents(input)
  input.on('keypress', (character, keypress) => {
    const key = read(character, keypress)
    if (key) keys.push(key)
  })
  for (const chunk of chunks) input.emit('data', Buffer.from(chunk))
  return keys
}

test.each<[string, string, readonly Key[]]>([
  [
    'letters',
    'hé',
    [
      { name: 'text', text: 'h' },
      { name: 'text', text: 'é' },
    ],
  ],
  ['an emoji', '😀', [{ name: 'text', text: '😀' }]],
  ['enter, and ctrl-j', '\r\n', [{ name: 'enter' }, { name: 'newline' }]],
  ['alt-enter and shift-enter', '\x1b\r\x1b[13;2u', [{ name: 'newline' }, { name: 'newline' }]],
  [
    'arrows',
    '\x1b[A\x1b[B\x1b[D\x1b[C',
    [{ name: 'up' }, { name: 'down' }, { name: 'left' }, { name: 'right' }],
  ],
  ['ctrl-arrows', '\x1b[1;5D\x1b[1;5C', [{ name: 'word-left' }, { name: 'word-right' }]],
  ['both backspaces', '\x7f\b', [{ name: 'delete-back' }, { name: 'delete-back' }]],
  [
    'ctrl-c, ctrl-d, ctrl-z',
    '\x03\x04\x1a',
    [{ name: 'interrupt' }, { name: 'end-of-input' }, { name: 'suspend' }],
  ],
  [
    'ctrl-_, ctrl-y, ctrl-r, ctrl-g',
    '\x1f\x19\x12\x07',
    [{ name: 'undo' }, { name: 'yank' }, { name: 'search' }, { name: 'open-editor' }],
  ],
  ['tab and shift-tab', '\t\x1b[Z', [{ name: 'complete' }, { name: 'complete-back' }]],
  ['keys without a meaning', '\x1b[15~\x00', []],
])('%s', (_, bytes, expected) => {
  expect(readKeys(bytes)).toEqual(expected)
})

test('a paste is one key with all its lines, in any chunks', () => {
  expect(readKeys('\x1b[200~one\r', 'two\r\nthr', 'ee\x03\x1b[31m\x1b[201~x')).toEqual([
    { name: 'paste', text: 'one\ntwo\nthree\x03\x1b[31m' },
    { name: 'text', text: 'x' },
  ])
})
