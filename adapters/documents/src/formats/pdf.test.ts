import { describe, expect, test } from 'vitest'
import { extract, extractInSharedThread, extractSegmentsInSharedThread } from '../testing/extract.ts'
import { createPdf, createPdfFromContents } from '../testing/create-pdf.ts'

describe('[K4] PDF', () => {
  test('reads pages, and joins lines to paragraphs', async () => {
    const pdf = createPdf(
      [
        ['I was born (they say) in', 'Bath, and know it by experi-', 'ence.', '', '', 'Later I left.'],
        ['Page two.'],
      ],
      'My life',
    )
    expect(await extract(pdf, 'a.pdf')).toEqual({
      mediaType: 'application/pdf',
      title: 'My life',
      segments: [
        {
          text: 'I was born (they say) in Bath, and know it by experience.\n\nLater I left.',
          place: { page: 1 },
        },
        { text: 'Page two.', place: { page: 2 } },
      ],
    })
  })

  test('[K4] attack: 500 pages', async () => {
    const segments = await extractSegmentsInSharedThread(
      createPdf(Array.from({ length: 500 }, (_, index) => [`This is page ${index + 1}.`])),
      'a.pdf',
    )
    expect(segments).toHaveLength(500)
    expect(segments.at(-1)).toEqual({ text: 'This is page 500.', place: { page: 500 } })
  })

  const whole = createPdf([['Some words.']])
  test.each([
    ['too many pages', createPdf([['a'], ['b'], ['c']]), /3 pages, and at most 2/],
    ['pages without text', createPdf([[], []]), /text recognition/],
    ['only a signature', Buffer.from('%PDF-1.7\n'), /broken/],
    [
      'noise after the signature',
      Buffer.from(`%PDF-1.7\n${'\x01\x80<<>>['.repeat(1_000)}`, 'latin1'),
      /broken/,
    ],
    ['one cut off near its start', whole.subarray(0, 60), /broken/],
    [
      'pages that are their own children',
      Buffer.from(
        '%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n2 0 obj\n<< /Type /Pages /Count 2 /Kids [2 0 R 2 0 R] >>\nendobj\ntrailer\n<< /Root 1 0 R >>\n',
      ),
      /./,
    ],
  ])('%s: unreadable, with a reason', async (_, pdf, why) => {
    expect(await extractInSharedThread(pdf, 'a.pdf', { maxPages: 2 })).toEqual({
      kind: 'unreadable',
      why: expect.stringMatching(why),
    })
  })

  test('[K4] attack: a wrong object table is repaired', async () => {
    const wrong = Buffer.from(whole.toString('latin1').replaceAll('00000 n', '00003 n'), 'latin1')
    expect(await extractSegmentsInSharedThread(wrong, 'a.pdf')).toEqual([
      { text: 'Some words.', place: { page: 1 } },
    ])
  })

  test('[K4] attack: a stream that unpacks to more than fits into memory', async () => {
    const bomb = createPdfFromContents([Buffer.alloc(200_000_000, ' ')])
    expect(bomb.length).toBeLessThan(1_000_000)
    expect(await extract(bomb, 'a.pdf', { maxBufferMegabytes: 64 })).toMatchObject({
      why: expect.stringContaining('memory'),
    })
  })
})
