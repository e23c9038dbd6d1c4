import { expect, test } from 'vitest'
import { createFrameReader, createFrameWriter, parseNotice, type SealedNotice } from './frames.ts'

const SECRET = Buffer.from('made-up-secret-of-our-processes!')

const requireNotice = (notice: string): SealedNotice => {
  const known = parseNotice(notice)
  if (!known) throw new Error('not a notice of ours')
  return known
}

function createLink() {
  const read = createFrameReader(SECRET, 'me')
  return {
    write: createFrameWriter(SECRET, 'me'),
    /** The result of each notice. */
    texts: (notices: readonly string[]) => notices.map((notice) => read(requireNotice(notice))?.text),
  }
}

test.each(['Hello', 'Grüße 🌍', 'x'.repeat(5_700), '🌍'.repeat(500_000)])(
  'a text goes in notices that Postgres takes, and comes out whole: %#',
  (text) => {
    const { write, texts } = createLink()
    const notices = write(text)
    for (const notice of notices) expect(Buffer.byteLength(notice)).toBeLessThan(8_000)
    expect(texts(notices)).toEqual([...Array.from({ length: notices.length - 1 }, () => undefined), text])
  },
)

test('a text that lost a piece is dropped, and the next one is complete', () => {
  const long = 'x'.repeat(20_000)
  for (const lost of [0, 1, 2, 3]) {
    const { write, texts } = createLink()
    const notices = [...write(long)]
    expect(notices).toHaveLength(4)
    notices.splice(lost, 1)
    expect(texts([...notices, ...write('next')])).toEqual([undefined, undefined, undefined, 'next'])
  }
})

test('foreign notices between the pieces have no effect', () => {
  const { write, texts } = createLink()
  const stranger = createFrameWriter(Buffer.from('another-made-up-secret-of-theirs'), 'me')
  const long = 'x'.repeat(10_000)
  const [first = '', second = ''] = write(long)
  expect(texts([first, ...stranger('forged'), first, second])).toEqual([
    undefined,
    undefined,
    undefined,
    long,
  ])
})

test('an endless text is dropped', () => {
  const { write, texts } = createLink()
  const notices = write('x'.repeat(17_000_000))
  expect(texts(notices).every((text) => text === undefined)).toBe(true)
  expect(texts(write('next'))).toEqual(['next'])
})

test.each(['', 'cancel trn_1', 'events', 'events me', 'events me 1', 'said me 1 AAAA'])(
  'not a notice of ours: %j',
  (notice) => {
    expect(parseNotice(notice)).toBeUndefined()
  },
)
