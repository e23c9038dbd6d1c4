import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Key, KeyName } from './raw-terminal.ts'
import { type Effect, type LineState, editLine, emptyLine, withEarlier } from './line-state.ts'

/** Keys as they are written down here: text stands for itself, a name in angle brackets for its key. */
function press(
  keys: string,
  from: LineState = emptyLine([]),
): { line: LineState; effects: readonly Effect[] } {
  let line = from
  const effects: Effect[] = []
  for (const [, name, text] of keys.matchAll(/<([a-z-]+)>|([^<])/gs)) {
    const key: Key = name === undefined ? { name: 'text', text: text ?? '' } : ({ name } as Key)
    const step = editLine(line, key)
    line = step.line
    if (step.effect.kind !== 'none') effects.push(step.effect)
  }
  return { line, effects }
}

/** The text with a bar at the cursor. */
const shown = ({ text, cursor }: LineState) => `${text.slice(0, cursor)}|${text.slice(cursor)}`

test.each([
  ['letters are put in at the cursor', 'hllo<left><left><left>e', 'he|llo'],
  ['delete back takes the character before', 'helo<delete-back>', 'hel|'],
  ['delete takes the character after', 'heello<home><right><delete>', 'h|ello'],
  ['a picture of several code points is one character', '👩‍👩‍👧<delete-back>', '|'],
  ['a word is deleted with the space after it', 'one two <delete-word>', 'one |'],
  ['words are walked over', 'one two<word-left><word-left><word-right>', 'one| two'],
  ['a line is cut from the cursor on', 'one two<word-left><cut-to-end>', 'one |'],
  ['a line is cut up to the cursor', 'one two<word-left><cut-to-start>', '|two'],
  ['home and end stay in their line', 'ab<newline>cd<home>x<end>y', 'ab\nxcdy|'],
  ['up and down go by line in a longer text', 'abc<newline>d<newline>efg<up><up>x', 'ax|bc\nd\nefg'],
  ['down comes back', 'abc<newline>de<up><home><down>x', 'abc\nx|de'],
  ['a backslash at the end goes on in a new line', 'one\\<enter>two', 'one\ntwo|'],
  ['a backslash elsewhere is only a backslash', 'a\\b<left>', 'a\\|b'],
  ['ctrl-c clears what was typed', 'one<interrupt>', '|'],
  ['ctrl-d deletes where there is text', 'one<home><end-of-input>', '|ne'],
  ['what was cut is put back', 'one two<delete-word><home><yank>', 'two|one '],
  ['the last cut counts', 'one two<delete-word><cut-to-start><yank>', 'one |'],
  ['nothing cut leaves the cut before', 'one<cut-to-start><cut-to-end><yank>', 'one|'],
  ['undo takes back a word at a time', 'one two<undo>', 'one |'],
  ['and then the space and the word before', 'one two<undo><undo><undo>', '|'],
  ['undo brings back what was cut', 'one two<cut-to-start><undo>', 'one two|'],
  ['undo brings back what ctrl-c cleared', 'one<interrupt><undo>', 'one|'],
  ['undo at the start does nothing', 'a<undo><undo><undo>b', 'b|'],
])('%s', (_, keys, expected) => {
  const { line, effects } = press(keys)
  expect(shown(line)).toBe(expected)
  expect(effects).toEqual([])
})

describe('what leaves the editor', () => {
  test.each<[string, string, readonly Effect[]]>([
    ['enter sends', 'hello<enter>', [{ kind: 'send', text: 'hello' }]],
    ['nothing but space is not sent', '  <enter><enter>', []],
    ['lines joined by a backslash are one message', 'a\\<enter>b<enter>', [{ kind: 'send', text: 'a\nb' }]],
    ['ctrl-d at an empty prompt leaves', '<end-of-input>', [{ kind: 'leave' }]],
    ['one ctrl-c does not leave', '<interrupt>', []],
    ['a second ctrl-c leaves', '<interrupt><interrupt>', [{ kind: 'leave' }]],
    ['a key between them takes the first one back', '<interrupt>a<delete-back><interrupt>', []],
    ['ctrl-c that cleared text does not count', 'a<interrupt><interrupt>', []],
    [
      'what is not for the line is handed on',
      '<search><open-editor>',
      [{ kind: 'search' }, { kind: 'open-editor' }],
    ],
  ])('%s', (_, keys, expected) => {
    expect(press(keys).effects).toEqual(expected)
  })

  test('a paste of several lines is one message, and is not sent by itself', () => {
    const pasted = editLine(emptyLine([]), { name: 'paste', text: 'one\ntwo\n' })
    expect(pasted.effect).toEqual({ kind: 'none' })
    expect(pasted.line.text).toBe('one\ntwo\n')
    expect(press('<enter>', pasted.line).effects).toEqual([{ kind: 'send', text: 'one\ntwo\n' }])
  })
})

describe('history', () => {
  const past = emptyLine(['first', 'second'])
  test.each([
    ['up shows the latest', '<up>', 'second|'],
    ['and then earlier ones', '<up><up>', 'first|'],
    ['and stops at the first', '<up><up><up><up>', 'first|'],
    ['down comes back to the draft', 'draft<up><up><down><down>', 'draft|'],
  ])('%s', (_, keys, expected) => {
    expect(shown(press(keys, past).line)).toBe(expected)
  })

  test('what was sent in earlier times goes before it, wherever one is', () => {
    const { line } = press('draft<up>', past)
    const grown = withEarlier(line, ['older'])
    expect(shown(press('<up><up>', grown).line)).toBe('older|')
    expect(shown(press('<down>', grown).line)).toBe('draft|')
  })

  test('what is sent is remembered once', () => {
    const { line } = press('second<enter>third<enter>third<enter>', past)
    expect(line.history).toEqual(['first', 'second', 'third'])
  })
})

test('whatever is pressed, the cursor stands between two characters of the text', () => {
  const names: readonly Exclude<KeyName, 'text' | 'paste'>[] = [
    'enter', 'interrupt', 'newline', 'left', 'right', 'word-left', 'word-right', 'home', 'end', 'delete-back',
    'delete', 'delete-word', 'cut-to-start', 'cut-to-end', 'up', 'down', 'clear-screen', 'suspend', 'end-of-input',
    'yank', 'undo', 'escape', 'complete', 'complete-back', 'search', 'open-editor',
  ] // prettier-ignore
  const key: fc.Arbitrary<Key> = fc.oneof(
    fc.constantFrom(...names).map((name) => ({ name })),
    fc.constantFrom('a', ' ', '漢', '👩‍👩‍👧', 'one\ntwo', '\\').map((text) => ({ name: 'paste' as const, text })),
  )
  fc.assert(
    fc.property(fc.array(key, { maxLength: 40 }), (keys) => {
      let line = emptyLine(['earlier', 'two\nlines'])
      for (const pressed of keys) {
        line = editLine(line, pressed).line
        expect(line.cursor).toBeGreaterThanOrEqual(0)
        expect(line.cursor).toBeLessThanOrEqual(line.text.length)
        expect(/[\uD800-\uDBFF]$/.test(line.text.slice(0, line.cursor))).toBe(false)
      }
    }),
  )
})
