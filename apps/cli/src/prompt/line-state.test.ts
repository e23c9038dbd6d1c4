import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Key, NamedKey } from './raw-terminal.ts'
import {
  type LineEffect,
  type LineState,
  editLine,
  createEmptyLine,
  addEarlierMessages,
} from './line-state.ts'

/** Presses keys: text is typed, and a name in angle brackets is that key. */
function press(
  keys: string,
  from: LineState = createEmptyLine([]),
): { line: LineState; effects: readonly LineEffect[] } {
  let line = from
  const effects: LineEffect[] = []
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
  ['letters are inserted at the cursor', 'hllo<left><left><left>e', 'he|llo'],
  ['backspace deletes the character before', 'helo<delete-back>', 'hel|'],
  ['delete removes the character after', 'heello<home><right><delete>', 'h|ello'],
  ['an emoji of several code points is one character', '👩‍👩‍👧<delete-back>', '|'],
  ['a word is deleted with the space after it', 'one two <delete-word>', 'one |'],
  ['the cursor moves by words', 'one two<word-left><word-left><word-right>', 'one| two'],
  ['a line is cut from the cursor', 'one two<word-left><cut-to-end>', 'one |'],
  ['a line is cut up to the cursor', 'one two<word-left><cut-to-start>', '|two'],
  ['home and end stay in their line', 'ab<newline>cd<home>x<end>y', 'ab\nxcdy|'],
  ['up and down move by line in a longer text', 'abc<newline>d<newline>efg<up><up>x', 'ax|bc\nd\nefg'],
  ['down returns', 'abc<newline>de<up><home><down>x', 'abc\nx|de'],
  ['a backslash at the end starts a new line', 'one\\<enter>two', 'one\ntwo|'],
  ['a backslash elsewhere is literal', 'a\\b<left>', 'a\\|b'],
  ['ctrl-c clears the text', 'one<interrupt>', '|'],
  ['ctrl-d deletes if there is text', 'one<home><end-of-input>', '|ne'],
  ['yank inserts the cut text', 'one two<delete-word><home><yank>', 'two|one '],
  ['yank inserts the last cut', 'one two<delete-word><cut-to-start><yank>', 'one |'],
  ['an empty cut keeps the previous one', 'one<cut-to-start><cut-to-end><yank>', 'one|'],
  ['undo removes a word at a time', 'one two<undo>', 'one |'],
  ['further undo removes the space and the word before', 'one two<undo><undo><undo>', '|'],
  ['undo restores cut text', 'one two<cut-to-start><undo>', 'one two|'],
  ['undo restores text that ctrl-c cleared', 'one<interrupt><undo>', 'one|'],
  ['undo at the start does nothing', 'a<undo><undo><undo>b', 'b|'],
])('%s', (_, keys, expected) => {
  const { line, effects } = press(keys)
  expect(shown(line)).toBe(expected)
  expect(effects).toEqual([])
})

describe('effects outside the line', () => {
  test.each<[string, string, readonly LineEffect[]]>([
    ['enter sends', 'hello<enter>', [{ kind: 'send', text: 'hello' }]],
    ['blank input is not sent', '  <enter><enter>', []],
    ['lines joined by a backslash are one message', 'a\\<enter>b<enter>', [{ kind: 'send', text: 'a\nb' }]],
    ['ctrl-d at an empty prompt quits', '<end-of-input>', [{ kind: 'leave' }]],
    ['one ctrl-c does not quit', '<interrupt>', []],
    ['a second ctrl-c quits', '<interrupt><interrupt>', [{ kind: 'leave' }]],
    ['a key between two ctrl-c cancels the first', '<interrupt>a<delete-back><interrupt>', []],
    ['ctrl-c that cleared text does not count', 'a<interrupt><interrupt>', []],
    ['other keys are passed on', '<search><open-editor>', [{ kind: 'search' }, { kind: 'open-editor' }]],
  ])('%s', (_, keys, expected) => {
    expect(press(keys).effects).toEqual(expected)
  })

  test('a multi-line paste is one message and is not sent by itself', () => {
    const pasted = editLine(createEmptyLine([]), { name: 'paste', text: 'one\ntwo\n' })
    expect(pasted.effect).toEqual({ kind: 'none' })
    expect(pasted.line.text).toBe('one\ntwo\n')
    expect(press('<enter>', pasted.line).effects).toEqual([{ kind: 'send', text: 'one\ntwo\n' }])
  })
})

describe('history', () => {
  const past = createEmptyLine(['first', 'second'])
  test.each([
    ['up shows the latest message', '<up>', 'second|'],
    ['up again shows earlier ones', '<up><up>', 'first|'],
    ['up stops at the first', '<up><up><up><up>', 'first|'],
    ['down returns to the draft', 'draft<up><up><down><down>', 'draft|'],
  ])('%s', (_, keys, expected) => {
    expect(shown(press(keys, past).line)).toBe(expected)
  })

  test('messages of earlier sessions come first, and the shown one is kept', () => {
    const { line } = press('draft<up>', past)
    const grown = addEarlierMessages(line, ['older'])
    expect(shown(press('<up><up>', grown).line)).toBe('older|')
    expect(shown(press('<down>', grown).line)).toBe('draft|')
  })

  test('a repeated message is remembered once', () => {
    const { line } = press('second<enter>third<enter>third<enter>', past)
    expect(line.history).toEqual(['first', 'second', 'third'])
  })
})

test('after any keys, the cursor is between two characters', () => {
  const names: readonly NamedKey[] = [
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
      let line = createEmptyLine(['earlier', 'two\nlines'])
      for (const pressed of keys) {
        line = editLine(line, pressed).line
        expect(line.cursor).toBeGreaterThanOrEqual(0)
        expect(line.cursor).toBeLessThanOrEqual(line.text.length)
        expect(/[\uD800-\uDBFF]$/.test(line.text.slice(0, line.cursor))).toBe(false)
      }
    }),
  )
})
