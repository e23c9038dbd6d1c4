import { anyLetter } from '@parley/contracts/testing'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeFile, encodeFile, type FileEncoding } from './decode-file.ts'

const ENCODINGS: readonly FileEncoding[] = ['utf-8', 'utf-8-bom', 'utf-16le', 'utf-16be']

test.each(ENCODINGS)('text and bytes in %s survive a round trip', (encoding) => {
  const text = fc
    .string({ unit: anyLetter })
    .filter((any) => any.isWellFormed() && !/[\0\u{feff}\u{fffe}]/u.test(any))
  fc.assert(
    fc.property(text, (given) => {
      const bytes = encodeFile(given, encoding)
      expect(decodeFile(bytes)).toEqual({ kind: 'text', text: given, encoding, isLossy: false })
    }),
  )
})

test('text decoded without loss has the same bytes again', () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      const decoded = decodeFile(bytes)
      if (decoded.kind === 'binary' || decoded.isLossy) return
      expect(Buffer.from(encodeFile(decoded.text, decoded.encoding))).toEqual(Buffer.from(bytes))
    }),
  )
})

test('UTF-16 cut within a character counts as lossy', () => {
  expect(decodeFile(Buffer.from([0xff, 0xfe, 0x41, 0x00, 0x42, 0x00, 0x43, 0x00, 0x44]))).toMatchObject({
    isLossy: true,
  })
})
