import { describe, expect, test } from 'vitest'
import { DOCX } from './formats.ts'
import { mediaTypeOf } from './media-type-of.ts'
import { docxOf } from './testing/docx-of.ts'
import { pdfOf } from './testing/pdf-of.ts'
import { zipOf } from './testing/zip-of.ts'

const PNG = Buffer.concat([
  Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'),
  Buffer.from('00000001000000010806000000', 'hex'),
  Buffer.alloc(40),
])
const ODT = 'application/vnd.oasis.opendocument.text'

describe('[K4] the media type of a file', () => {
  test.each<[string, Uint8Array | string, string | undefined, string | undefined, string]>([
    ['bytes before the name', pdfOf([['a']]), 'a.txt', 'text/plain', 'application/pdf'],
    ['a Word document', docxOf(['a']), undefined, undefined, DOCX],
    ['a Word document that is cut off', docxOf(['a']).subarray(0, 500), 'a.docx', undefined, DOCX],
    ['an archive', zipOf([{ name: 'a.txt', data: 'a' }]), 'a.docx.zip', undefined, 'application/zip'],
    ['OpenDocument', zipOf([{ name: 'mimetype', data: ODT }]), undefined, undefined, ODT],
    [
      'a name in an archive that is none',
      zipOf([{ name: 'mimetype', data: 'x y' }]),
      undefined,
      undefined,
      'application/zip',
    ],
    ['RTF', '{\\rtf1 a}', 'a.txt', undefined, 'application/rtf'],
    [
      'Word’s old format',
      Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(600)]),
      'a.doc',
      undefined,
      'application/msword',
    ],
    ['an image, whatever it is called', PNG, 'a.md', 'text/markdown', 'image/png'],
    [
      'words that look like an image',
      'BMW builds cars, and I like them.',
      'a.md',
      undefined,
      'text/markdown',
    ],
    ['words that look like a program', 'MZ wrote to me.', undefined, undefined, 'text/plain'],
    ['the name', '# a', 'a.MD', 'text/plain', 'text/markdown'],
    ['what was said', '# a', undefined, 'text/markdown; charset=utf-8', 'text/markdown'],
    [
      'a transcript',
      '[]',
      'a.json',
      'application/vnd.parley.transcript+json',
      'application/vnd.parley.transcript+json',
    ],
    ['what was said and cannot be', '# a', undefined, 'application/pdf', 'text/plain'],
    ['a page without a name', '\n<!DOCTYPE html><p>a', undefined, undefined, 'text/html'],
    ['a page that is meant as text', '<html>a', 'a.txt', undefined, 'text/plain'],
    ['cues without a name', 'WEBVTT\n\n', undefined, undefined, 'text/vtt'],
    [
      'SubRip without a name',
      '1\r\n00:00:01,000 --> 00:00:02,000\r\na',
      undefined,
      undefined,
      'application/x-subrip',
    ],
    ['UTF-16', Buffer.from('\ufeffa', 'utf16le'), 'a.txt', undefined, 'text/plain'],
    [
      'a letter that the opening ends within',
      `${'a'.repeat(16_382)}日本`,
      undefined,
      undefined,
      'text/plain',
    ],
    ['bytes that are nothing', Buffer.from([0, 1, 2, 3]), 'a.txt', 'text/plain', 'application/octet-stream'],
  ])('%s', async (_, bytes, name, given, expected) => {
    expect(await mediaTypeOf(Buffer.from(bytes), name, given)).toBe(expected)
  })
})
