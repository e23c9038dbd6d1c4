import { describe, expect, test } from 'vitest'
import { extractSegments } from '../testing/extract.ts'

const messagesOf = (text: string) => extractSegments(text, '_chat.txt')

describe('[K4] WhatsApp', () => {
  test('an iPhone export: notices and media are left out, lines are joined', async () => {
    const chat = `[31.12.20, 23:58:01] Family: \u200eMessages and calls are end-to-end encrypted.
[31.12.20, 23:59:59] Ada Lovelace: Happy new year!

See you: tomorrow.
\u200e[01.01.21, 00:00:02] Bob: \u200eimage omitted
[01.01.21, 00:00:03] Bob added Eve
[01.01.21, 00:00:04] ~ Bob: You too <This message was edited>
`
    expect(await messagesOf(chat)).toEqual([
      {
        text: 'Happy new year!\n\nSee you: tomorrow.',
        place: { speaker: 'Ada Lovelace', date: '2020-12-31T23:59:59' },
      },
      { text: 'You too', place: { speaker: 'Bob', date: '2021-01-01T00:00:04' } },
    ])
  })

  test('an Android export, with months first and AM/PM', async () => {
    const chat = `12/31/20, 11:58\u202fPM - Messages and calls are end-to-end encrypted. Tap to learn more.
12/31/20, 11:59\u202fPM - Ada: Happy
new year
1/1/21, 12:05\u202fAM - Bob: <Media omitted>
1/1/21, 12:06\u202fAM - Bob: IMG-1.jpg (file attached)
1/1/21, 12:07\u202fAM - Bob: This message was deleted
1/1/21, 12:08\u202fAM - Bob changed the subject to “a: b”
1/1/21, 12:09\u202fAM - Bob: Thanks`
    expect(await messagesOf(chat)).toEqual([
      { text: 'Happy\nnew year', place: { speaker: 'Ada', date: '2020-12-31T23:59' } },
      { text: 'Thanks', place: { speaker: 'Bob', date: '2021-01-01T00:09' } },
    ])
  })

  test.each([
    [
      'a day after the 12th reveals the order',
      '13/02/2021, 10:00 - A: a\n03/02/2021, 10:00 - A: b',
      '2021-02-03T10:00',
    ],
    [
      'so does one in the second place',
      '02/13/2021, 10:00 - A: a\n02/03/2021, 10:00 - A: b',
      '2021-02-03T10:00',
    ],
    ['years first', '2021-02-01, 10:00 - A: a\n2021-02-03, 10:00 - A: b', '2021-02-03T10:00'],
    ['dots are days first', '1.2.21, 10:00 - A: a\n3.2.21, 10:00 - A: b', '2021-02-03T10:00'],
    [
      'halves of the day are months first',
      '2/1/21, 10:00 am - A: a\n2/3/21, 12:00 pm - A: b',
      '2021-02-03T12:00',
    ],
    ['an impossible day', '13.02.21, 10:00 - A: a\n31.02.21, 10:00 - A: b', undefined],
  ])('%s', async (_, chat, date) => {
    const [, last] = await messagesOf(chat)
    expect(last).toEqual({ text: 'b', place: { speaker: 'A', ...(date ? { date } : {}) } })
  })

  test.each([
    ['a diary', '31.12.20, 23:59 - a long day it was'],
    ['a text with a later time stamp', 'Notes\n31.12.20, 23:59 - Ada: hello'],
    ['an unclosed bracket', '[31.12.20, 23:59 - Ada: hello'],
  ])('%s is not a chat', async (_, text) => {
    expect(await messagesOf(text)).toEqual([{ text, place: { line: 1 } }])
  })

  test('[K4] attack: a million messages', { timeout: 300_000 }, async () => {
    const lines = Array.from({ length: 1_000_000 }, (_, index) => `31.12.20, 23:59 - Ada: word ${index}`)
    const segments = await messagesOf(lines.join('\n'))
    expect(segments).toHaveLength(1_000_000)
    expect(segments.at(-1)).toEqual({
      text: 'word 999999',
      place: { speaker: 'Ada', date: '2020-12-31T23:59' },
    })
  })

  test('[K4] attack: a message of a million lines', async () => {
    const segments = await messagesOf(`31.12.20, 23:59 - Ada: a\n${'and on\n'.repeat(1_000_000)}`)
    expect(segments.reduce((sum, { text }) => sum + text.split('\n').length, 0)).toBe(1_000_001)
  })
})
