import { anyLetter } from '@parley/contracts/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { extractText } from './extract-text.ts'
import { readFile } from './read-file.ts'
import { LIMITS } from './limits.ts'
import { mediaTypeOf } from './media-type-of.ts'
import { docxOf } from './testing/docx-of.ts'
import { extract, extractTogether } from './testing/extract.ts'
import { pdfOf } from './testing/pdf-of.ts'
import { zipOf } from './testing/zip-of.ts'

/** Takes much longer than any of these tests waits. */
const SLOW_PAGE = '<div>'.repeat(390_000)

const NOISE = Buffer.from(Array.from({ length: 3_000 }, (_, index) => (index * 7_919) % 256))

describe('[K4] what is not read says what to do', () => {
  test.each<[string, Uint8Array | string, RegExp]>([
    ['a.rtf', '{\\rtf1 a}', /save it as \.docx or \.txt/],
    [
      'a.doc',
      Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(600)]),
      /save it as \.docx/,
    ],
    [
      'a.odt',
      zipOf([{ name: 'mimetype', data: 'application/vnd.oasis.opendocument.text' }]),
      /save it as \.docx/,
    ],
    ['a.zip', zipOf([{ name: 'a', data: 'a' }]), /unpack it/],
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

describe('[K4] bounds', () => {
  test.each([
    ['bytes', { maxBytes: 10 }, /at most 10/],
    ['characters', { maxCharacters: 10 }, /more than 10 characters/],
    ['segments', { maxSegments: 1 }, /more than 1 messages or paragraphs/],
  ])('more %s than are read', async (_, limits, why) => {
    const text = `# a\n${'word '.repeat(500)}\n# b\n${'word '.repeat(500)}`
    expect(await extract(text, 'a.md', limits)).toEqual({
      kind: 'unreadable',
      why: expect.stringMatching(why),
    })
  })

  test('no segment is long, and all words are there', async () => {
    const text = `${'word '.repeat(50_000)}\n`
    const read = await extract(text, 'a.txt')
    if (!('segments' in read)) throw new Error(read.why)
    for (const segment of read.segments) expect(segment.text.length).toBeLessThanOrEqual(4_000)
    expect(read.segments.map((segment) => segment.text).join(' ')).toBe(text.trim())
  })

  test('a file that takes too long is given up', async () => {
    expect(await extract(SLOW_PAGE, 'a.html', { maxMilliseconds: 300 })).toMatchObject({
      why: expect.stringContaining('longer than 0.3 seconds'),
    })
  })

  test('a file that takes too much memory is given up, and the process lives', async () => {
    const page = '<p>a <b>b</b> '.repeat(120_000)
    expect(await extract(page, 'a.html', { maxHeapMegabytes: 40 })).toMatchObject({
      why: expect.stringContaining('memory'),
    })
  })

  test('reading ends when it is no longer wanted', async () => {
    const controller = new AbortController()
    const bytes = Buffer.from(SLOW_PAGE)
    const reading = extractText({ bytes, mediaType: 'text/html' }, controller.signal)
    setTimeout(() => controller.abort(new Error('no longer wanted')), 200)
    await expect(reading).rejects.toThrow('no longer wanted')
    await expect(extractText({ bytes, mediaType: 'text/html' }, controller.signal)).rejects.toThrow(
      'no longer',
    )
  })

  test('the bytes stay the caller’s', async () => {
    const bytes = pdfOf([['Some words.']])
    const before = Buffer.from(bytes)
    await extract(bytes, 'a.pdf')
    expect(bytes.equals(before)).toBe(true)
  })
})

describe('[K4] whatever the bytes, the outcome is text or a sentence', () => {
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

  test('of any file', async () => {
    await fc.assert(
      fc.asyncProperty(bytes, fc.constantFrom(...names), async (file, name) => {
        expect(await outcomeOf(file, name)).toMatch(/^(read|unreadable)$/)
      }),
      { numRuns: 500 },
    )
  })

  /** `npm run soak` asks for more. */
  const CHANGED_FILES = Number(process.env['PARLEY_CHANGED_FILES'] ?? 25)
  const change = fc.array(fc.tuple(fc.nat(100_000), fc.nat(255)), { minLength: 1, maxLength: 8 })
  test('of a Word document with some bytes changed', async () => {
    const whole = docxOf(['# A', 'Some words.'])
    await fc.assert(
      fc.asyncProperty(change, async (changes) => {
        expect(await outcomeOf(changed(whole, changes), 'a.docx')).toMatch(/^(read|unreadable)$/)
      }),
    )
  })

  test('of a PDF with some bytes changed', { timeout: 180_000 + CHANGED_FILES * 10_000 }, async () => {
    const whole = pdfOf([['Some words.'], ['More.']])
    await fc.assert(
      fc.asyncProperty(change, async (changes) => {
        expect(await extractTogether(changed(whole, changes), 'a.pdf')).toEqual(expect.any(Object))
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

/** In this thread: it is the readers that are looked at. */
async function outcomeOf(file: Uint8Array, name: string): Promise<string> {
  const mediaType = await mediaTypeOf(file, name)
  return (await readFile(new Uint8Array(file), mediaType, LIMITS, () => undefined)).kind
}
