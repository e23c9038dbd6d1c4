import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyLetter } from '@parley/contracts/testing'
import { cleanText, decodeDocumentText } from './decode-document-text.ts'

const bytesOf = (text: string, encoding: BufferEncoding = 'utf8') => Buffer.from(text, encoding)

describe('[K4] the encoding of a text', () => {
  test.each([
    ['UTF-8', bytesOf('Grüße'), 'Grüße'],
    ['UTF-8 with a byte order mark', bytesOf('\ufeffGrüße'), 'Grüße'],
    ['UTF-16 little-endian', bytesOf('\ufeffGrüße', 'utf16le'), 'Grüße'],
    ['UTF-16 big-endian', bytesOf('\ufeffGrüße', 'utf16le').swap16(), 'Grüße'],
    ['Windows-1252', bytesOf('\x93Gr\xfc\xdfe\x94 \x80', 'latin1'), '“Grüße” €'],
    ['an unassigned byte', bytesOf('na\xefve caf\xe9 \x81', 'latin1'), 'naïve café \ufffd'],
    [
      'UTF-8 with a lone byte',
      Buffer.concat([bytesOf('Grüße, größer'), Buffer.of(0xff)]),
      'Grüße, größer\ufffd',
    ],
    [
      'a page that declares its own',
      Buffer.concat([bytesOf('<meta charset="shift_jis">'), Buffer.of(0x93, 0xfa, 0x96, 0x7b)]),
      '<meta charset="shift_jis">日本',
    ],
    [
      'a page that declares an unknown encoding',
      bytesOf('<meta charset="klingon"> \xe9', 'latin1'),
      '<meta charset="klingon"> é',
    ],
  ])('%s', (_, bytes, text) => {
    expect(decodeDocumentText(bytes)).toBe(text)
  })

  test.each([
    ['a zero byte', bytesOf('a\0b')],
    ['UTF-16 with a zero', bytesOf('\ufeffa\0b', 'utf16le')],
    ['noise', Buffer.from(Array.from({ length: 5_000 }, (_, index) => 1 + ((index * 7_919) % 255)))],
  ])('%s is not text', (_, bytes) => {
    expect(decodeDocumentText(bytes)).toBeUndefined()
  })

  test('any text without control characters survives a round trip', () => {
    const readable = fc
      .string({ unit: 'grapheme' })
      .filter((text) => !/[\p{Cc}\ufeff\ufffd]/u.test(text) && text.isWellFormed())
    fc.assert(
      fc.property(readable, (text) => {
        expect(decodeDocumentText(bytesOf(text))).toBe(text)
        expect(decodeDocumentText(bytesOf(`\ufeff${text}`, 'utf16le'))).toBe(text)
      }),
    )
  })
})

test.each([
  ['letters are composed', 'Zu\u0308rich', 'Zürich'],
  ['lines end with a line feed', 'a\r\nb\rc\u2028d', 'a\nb\nc\nd'],
  ['control characters are removed', 'a\u0000b\u0007c\u001b[31m\u0085', 'abc[31m'],
  ['tabs stay', 'a\tb', 'a\tb'],
  ['direction marks are removed', '\u200ea\u202eb\u2069', 'ab'],
  ['invisible tag characters are removed', 'a\u{e0041}\u{e0042}b', 'ab'],
  ['joiners stay, for emoji', '👩\u200d🔬', '👩\u200d🔬'],
  ['a lone surrogate is replaced', 'a\ud800b', 'a\ufffdb'],
])('[K4] %s', (_, text, cleaned) => {
  expect(cleanText(text)).toBe(cleaned)
})

test('[K4] clean text is unchanged', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyLetter }), (text) => {
      const cleaned = cleanText(text)
      expect(cleanText(cleaned)).toBe(cleaned)
      expect(cleaned.isWellFormed()).toBe(true)
    }),
  )
})
