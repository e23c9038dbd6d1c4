import { describe, expect, test } from 'vitest'
import { extractSegments } from '../testing/extract.ts'

const VTT = `WEBVTT - a talk

NOTE
not said

STYLE
::cue { color: red }

intro
00:01.000 --> 00:02.500 align:start
<v Ada Lovelace>Good <i>evening</i> &amp; welcome.

00:00:03.000 --> 00:00:04.000
<v Ada Lovelace>I am Ada.

01:02:03.000 --> 01:02:04.000
<v.loud Bob>Hello!
`

describe('[K4] subtitles', () => {
  test('WebVTT: cues of one voice are joined', async () => {
    expect(await extractSegments(VTT, 'talk.vtt')).toEqual([
      { text: 'Good evening & welcome. I am Ada.', place: { offset: '00:00:01', speaker: 'Ada Lovelace' } },
      { text: 'Hello!', place: { offset: '01:02:03', speaker: 'Bob' } },
    ])
  })

  test.each([
    [
      'SubRip',
      '1\r\n00:00:01,000 --> 00:00:02,000\r\nAda: Hello\r\nthere.\r\n\r\n2\r\n00:00:05,000 --> 00:00:06,000\r\nBOB SMITH: Hi: you.\r\n',
    ],
    [
      'SubRip without blank lines',
      '1\n00:00:01,000 --> 00:00:02,000\nAda: Hello\nthere.\n2\n00:00:05,000 --> 00:00:06,000\n<b>BOB SMITH: Hi: you.</b>\n',
    ],
  ])('%s', async (_, text) => {
    const [first, second] = await extractSegments(text, 'talk.srt')
    expect(first).toEqual({ text: 'Hello there.', place: { offset: '00:00:01', speaker: 'Ada' } })
    expect(second).toEqual({ text: 'Hi: you.', place: { offset: '00:00:05', speaker: 'BOB SMITH' } })
  })

  test.each([
    ['a sentence with a colon names no speaker', 'what I like: tea', 'what I like: tea'],
    ['a time names no speaker', '10:30 is fine', '10:30 is fine'],
  ])('%s', async (_, line, text) => {
    expect(await extractSegments(`WEBVTT\n\n00:01.000 --> 00:02.000\n${line}`, 'a.vtt')).toEqual([
      { text, place: { offset: '00:00:01' } },
    ])
  })

  test('scrolling captions are read once', async () => {
    const text =
      'WEBVTT\n\n00:01.000 --> 00:02.000\n \nso I was\n\n00:02.000 --> 00:02.010\nso I was\n \n\n00:02.010 --> 00:03.000\nso I was\nborn in Bath\n'
    expect(await extractSegments(text, 'a.vtt')).toEqual([
      { text: 'so I was born in Bath', place: { offset: '00:00:01' } },
    ])
  })

  test('a repeated sentence is read twice', async () => {
    const text = 'WEBVTT\n\n00:01.000 --> 00:02.000\nNo.\n\n00:02.000 --> 00:03.000\nNo.\n'
    expect(await extractSegments(text, 'a.vtt')).toMatchObject([{ text: 'No. No.' }])
  })

  test('a long talk is split where sentences end', async () => {
    const cues = Array.from(
      { length: 100 },
      (_, index) =>
        `00:${String(index % 60).padStart(2, '0')}.000 --> 00:59.000\nThis is sentence ${index} of it.\n`,
    )
    const segments = await extractSegments(`WEBVTT\n\n${cues.join('\n')}`, 'a.vtt')
    expect(segments.length).toBeGreaterThan(3)
    for (const { text } of segments) expect(text).toMatch(/^This.*\.$/)
  })
})
