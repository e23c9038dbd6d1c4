import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyLetter } from '@parley/contracts/testing'
import { extractText, detectFileType } from './extract-text.ts'
import { DOCX } from './formats.ts'
import { READING_LIMITS } from './document-reader.ts'
import { readFile } from './read-file.ts'
import { createDocx } from './testing/create-docx.ts'
import { extract, extractInSharedThread } from './testing/extract.ts'
import { createPdf } from './testing/create-pdf.ts'
import { createZip } from './testing/create-zip.ts'

/** Takes much longer than any of these tests. */
const SLOW_PAGE = '<div>'.repeat(390_000)

const NOISE = Buffer.from(Array.from({ length: 3_000 }, (_, index) => (index * 7_919) % 256))

describe('[K4] an unsupported file says what to do', () => {
  test.each<[string, Uint8Array | string, RegExp]>([
    ['a.rtf', '{\\rtf1 a}', /save it as \.docx or \.txt/],
    [
      'a.doc',
      Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(600)]),
      /save it as \.docx/,
    ],
    [
      'a.odt',
      createZip([{ name: 'mimetype', data: 'application/vnd.oasis.opendocument.text' }]),
      /save it as \.docx/,
    ],
    ['a.zip', createZip([{ name: 'a', data: 'a' }]), /unpack it/],
    ['a.jpg', Buffer.concat([Buffer.from('ffd8ffe000104a464946', 'hex'), Buffer.alloc(40)]), /image/],
    [
      'a.mp3',
      Buffer.concat([Buffer.from('ID3\x03\0\0\0\0\0\0'), Buffer.from('fffb9064', 'hex'), Buffer.alloc(500)]),
      /transcript/,
    ],
    ['a.txt', Buffer.from('a\0b'), /not text/],
    ['a.txt', Buffer.from([...Buffer.from('text '.repeat(5_000)), 0]), /not text/],
    ['a.pdf', NOISE, /PDF is broken/],
    ['a.docx', NOISE, /Word document is cut off or broken/],
    ['empty.txt', '', /empty/],
  ])('%s', async (name, bytes, why) => {
    expect(await extract(bytes, name)).toEqual({ kind: 'unreadable', why: expect.stringMatching(why) })
  })
})

describe('[K4] limits', () => {
  test.each([
    ['bytes', { maxBytes: 10 }, /at most 10/],
    ['characters', { maxCharacters: 10 }, /more than 10 characters/],
    ['segments', { maxSegments: 1 }, /more than 1 messages or paragraphs/],
  ])('more %s than allowed', async (_, limits, why) => {
    const text = `# a\n${'word '.repeat(500)}\n# b\n${'word '.repeat(500)}`
    expect(await extract(text, 'a.md', limits)).toEqual({
      kind: 'unreadable',
      why: expect.stringMatching(why),
    })
  })

  test('no segment is too long, and no word is lost', async () => {
    const text = `${'word '.repeat(50_000)}\n`
    const read = await extract(text, 'a.txt')
    if (!('segments' in read)) throw new Error(read.why)
    for (const segment of read.segments) expect(segment.text.length).toBeLessThanOrEqual(4_000)
    expect(read.segments.map((segment) => segment.text).join(' ')).toBe(text.trim())
  })

  test('a file that takes too long is unreadable', async () => {
    expect(await extract(SLOW_PAGE, 'a.html', { maxMilliseconds: 300 })).toMatchObject({
      why: expect.stringContaining('longer than 0.3 seconds'),
    })
  })

  test('a file that takes too much memory is unreadable, and the process survives', async () => {
    const page = '<p>a <b>b</b> '.repeat(120_000)
    expect(await extract(page, 'a.html', { maxHeapMegabytes: 40 })).toMatchObject({
      why: expect.stringContaining('memory'),
    })
  })

  test('reading stops on abort', async () => {
    const controller = new AbortController()
    const bytes = Buffer.from(SLOW_PAGE)
    const reading = extractText({ bytes, mediaType: 'text/html' }, controller.signal)
    setTimeout(() => controller.abort(new Error('no longer wanted')), 200)
    await expect(reading).rejects.toThrow('no longer wanted')
    await expect(extractText({ bytes, mediaType: 'text/html' }, controller.signal)).rejects.toThrow(
      'no longer',
    )
  })

  test('the caller keeps its bytes', async () => {
    const bytes = createPdf([['Some words.']])
    const before = Buffer.from(bytes)
    await extract(bytes, 'a.pdf')
    expect(bytes.equals(before)).toBe(true)
  })
})

describe('[K4] any bytes give text or an error sentence', () => {
  const openings = [
    '',
    'WEBVTT\n\n00:01.000 --> ',
    '{',
    '[{"',
    '# ',
    '---\n',
    '<html>',
    '31.12.20, 23:59 - A: ',
    '\ufeff',
    'PK\x03\x04',
  ]
  const names = ['a', 'a.txt', 'a.md', 'a.html', 'a.vtt', 'a.srt', 'a.json', 'a.docx']
  const bytes = fc
    .tuple(
      fc.constantFrom(...openings),
      fc.oneof(
        fc.uint8Array({ maxLength: 500 }),
        fc.string({ unit: anyLetter }).map((text) => Buffer.from(text)),
      ),
    )
    .map(([opening, rest]) => Buffer.concat([Buffer.from(opening), rest]))

  test('for any file', async () => {
    await fc.assert(
      fc.asyncProperty(bytes, fc.constantFrom(...names), async (file, name) => {
        expect(await outcomeOf(file, name)).toMatch(/^(read|unreadable)$/)
      }),
      { numRuns: 500 },
    )
  })

  /** `npm run soak` sets more. */
  const CHANGED_FILES = Number(process.env['PARLEY_CHANGED_FILES'] ?? 25)
  const change = fc.array(fc.tuple(fc.nat(100_000), fc.nat(255)), { minLength: 1, maxLength: 8 })
  test('for a Word document with changed bytes', async () => {
    const whole = createDocx(['# A', 'Some words.'])
    await fc.assert(
      fc.asyncProperty(change, async (changes) => {
        expect(await outcomeOf(changed(whole, changes), 'a.docx')).toMatch(/^(read|unreadable)$/)
      }),
    )
  })

  test('for a PDF with changed bytes', { timeout: 180_000 + CHANGED_FILES * 10_000 }, async () => {
    const whole = createPdf([['Some words.'], ['More.']])
    await fc.assert(
      fc.asyncProperty(change, async (changes) => {
        expect(await extractInSharedThread(changed(whole, changes), 'a.pdf')).toEqual(expect.any(Object))
      }),
      { numRuns: CHANGED_FILES },
    )
  })
})

function changed(file: Uint8Array, changes: readonly (readonly [number, number])[]): Buffer {
  const copy = Buffer.from(file)
  for (const [at, byte] of changes) copy[at % copy.length] = byte
  return copy
}

/** In this thread, to test only the readers. */
async function outcomeOf(file: Uint8Array, name: string): Promise<string> {
  const mediaType = await detectFileType(file, name)
  return (await readFile(new Uint8Array(file), mediaType, READING_LIMITS, () => undefined)).kind
}

const PNG = Buffer.concat([
  Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'),
  Buffer.from('00000001000000010806000000', 'hex'),
  Buffer.alloc(40),
])
const ODT = 'application/vnd.oasis.opendocument.text'

describe('[K4] the media type of a file', () => {
  test.each<[string, Uint8Array | string, string | undefined, string | undefined, string]>([
    ['bytes before the name', createPdf([['a']]), 'a.txt', 'text/plain', 'application/pdf'],
    ['a Word document', createDocx(['a']), undefined, undefined, DOCX],
    ['a truncated Word document', createDocx(['a']).subarray(0, 500), 'a.docx', undefined, DOCX],
    ['an archive', createZip([{ name: 'a.txt', data: 'a' }]), 'a.docx.zip', undefined, 'application/zip'],
    ['OpenDocument', createZip([{ name: 'mimetype', data: ODT }]), undefined, undefined, ODT],
    [
      'a name in an archive that is none',
      createZip([{ name: 'mimetype', data: 'x y' }]),
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
    ['an image with any name', PNG, 'a.md', 'text/markdown', 'image/png'],
    [
      'words that look like an image',
      'BMW builds cars, and I like them.',
      'a.md',
      undefined,
      'text/markdown',
    ],
    ['text that looks like a program', 'MZ wrote to me.', undefined, undefined, 'text/plain'],
    ['the name', '# a', 'a.MD', 'text/plain', 'text/markdown'],
    ['the given type', '# a', undefined, 'text/markdown; charset=utf-8', 'text/markdown'],
    [
      'a transcript',
      '[]',
      'a.json',
      'application/vnd.parley.transcript+json',
      'application/vnd.parley.transcript+json',
    ],
    ['a wrong given type', '# a', undefined, 'application/pdf', 'text/plain'],
    ['a page without a name', '\n<!DOCTYPE html><p>a', undefined, undefined, 'text/html'],
    ['a page named as text', '<html>a', 'a.txt', undefined, 'text/plain'],
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
    ['unknown bytes', Buffer.from([0, 1, 2, 3]), 'a.txt', 'text/plain', 'application/octet-stream'],
  ])('%s', async (_, bytes, name, given, expected) => {
    expect(await detectFileType(Buffer.from(bytes), name, given)).toBe(expected)
  })
})
