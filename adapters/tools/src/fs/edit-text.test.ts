import fc from 'fast-check'
import { expect, test } from 'vitest'
import { editText } from './edit-text.ts'

test.each([
  ['once', 'a b', 'b', 'c', 'a c'],
  ['with what is special in replacements', 'a b', 'b', "$& $1 $' $$", "a $& $1 $' $$"],
  ['lines in a file of CRLF, given with LF', 'a\r\nb\r\n', 'a\nb', 'a\nc\nd', 'a\r\nc\r\nd\r\n'],
  ['lines in a file of LF', 'a\nb\n', 'b', 'c\nd', 'a\nc\nd\n'],
  ['by nothing', 'a b', ' b', '', 'a'],
])('replaces text %s', (_, text, old_text, new_text, expected) => {
  expect(editText(text, { old_text, new_text })).toEqual({ kind: 'edited', text: expected, places: 1 })
})

test.each([
  ['nothing alike', 'a', 'z', 'copy the text exactly'],
  ['mixed line endings', 'a\r\nb\nc', 'a\nb', 'line endings'],
  ['other spaces', 'if (a)  {\n\tb', 'if (a) {\n  b', 'spaces, tabs or line breaks'],
  ['another case', 'Hello', 'hello', 'upper and lower case'],
  ['several places', 'a a a', 'a', 'stands there 3 times'],
  ['no change', 'a', 'a', 'are the same'],
])('says why not: %s', (_, text, old_text, why) => {
  const new_text = why === 'are the same' ? old_text : 'new'
  expect(editText(text, { old_text, new_text })).toMatchObject({
    kind: 'not-edited',
    why: expect.stringContaining(why),
  })
})

test('does not let a file grow without bound', () => {
  const grown = { old_text: 'a', new_text: 'b'.repeat(2_000_000), replace_all: true }
  expect(editText('a'.repeat(1_000), grown)).toMatchObject({ kind: 'not-edited' })
})

test('an edit changes the one place, and nothing around it', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '\n', '$', '\\') })
  fc.assert(
    fc.property(text, text, text, (before, after, new_text) => {
      const edited = editText(`${before}<here>${after}`, { old_text: '<here>', new_text })
      expect(edited).toEqual({ kind: 'edited', text: `${before}${new_text}${after}`, places: 1 })
    }),
  )
})

test('replace_all leaves no place out', () => {
  const words = fc.array(fc.constantFrom('old', 'other', ' '), { minLength: 1 })
  fc.assert(
    fc.property(words, (all) => {
      const edited = editText(all.join('|'), { old_text: 'old', new_text: 'new', replace_all: true })
      const places = all.filter((word) => word === 'old').length
      const text = all.map((word) => (word === 'old' ? 'new' : word)).join('|')
      expect(edited).toMatchObject(places === 0 ? { kind: 'not-edited' } : { kind: 'edited', text, places })
    }),
  )
})
