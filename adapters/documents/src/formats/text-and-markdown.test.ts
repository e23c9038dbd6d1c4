import { describe, expect, test } from 'vitest'
import { extract, extractSegments } from '../testing/extract.ts'

const long = (word: string) => `${word} `.repeat(400).trim()

describe('[K4] plain text', () => {
  test('paragraphs are grouped, with their first line number', async () => {
    expect(await extractSegments('\n\nOne.\nTwo.\n\nThree.\n', 'a.txt')).toEqual([
      { text: 'One.\nTwo.\n\nThree.', place: { line: 3 } },
    ])
  })

  test('a long paragraph is a segment by itself', async () => {
    expect(await extractSegments(`${long('one')}\n\n${long('two')}\n\nthree`, 'a.txt')).toEqual([
      { text: long('one'), place: { line: 1 } },
      { text: long('two'), place: { line: 3 } },
      { text: 'three', place: { line: 5 } },
    ])
  })

  test('text without blank lines is split between lines', async () => {
    const segments = await extractSegments(Array.from({ length: 10 }, () => long('word')).join('\n'), 'a.txt')
    expect(segments.map(({ place }) => place.line)).toEqual([1, 3, 5, 7, 9])
  })

  test('a file without text is reported', async () => {
    expect(await extract(' \n\t\n', 'a.txt')).toEqual({
      kind: 'unreadable',
      why: 'There is no text in the file.',
    })
  })
})

describe('[K4] Markdown', () => {
  test('headings give places, and stay in the text', async () => {
    const text = 'Before.\n\n# Work ##\n\nI build.\n\nHome\n----\nI live.\n\n```sh\n# no heading\n```\n'
    expect(await extractSegments(text, 'a.md')).toEqual([
      { text: 'Before.', place: { line: 1 } },
      { text: '# Work ##\n\nI build.', place: { line: 3, heading: 'Work' } },
      { text: 'Home\n----\nI live.\n\n```sh\n# no heading\n```', place: { line: 7, heading: 'Home' } },
    ])
  })

  test('front matter gives title and date; the title becomes a heading', async () => {
    const text = '---\ntitle: "A day"\ndate: 2021-03-04 10:00\ntags: [x]\n---\nI went out.'
    expect(await extract(text, 'a.md')).toEqual({
      mediaType: 'text/markdown',
      title: 'A day',
      segments: [
        {
          text: '# A day\n\n\n\nI went out.',
          place: { date: '2021-03-04 10:00', line: 2, heading: 'A day' },
        },
      ],
    })
  })

  test.each([
    ['the first heading is the title', '# A  title\ntext', 'A title'],
    ['a line at the top is not front matter', '---\ntext', undefined],
  ])('%s', async (_, text, title) => {
    expect(await extract(text, 'a.md')).toMatchObject(title ? { title } : { segments: [{ text }] })
  })
})
