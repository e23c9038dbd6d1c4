import { describe, expect, test } from 'vitest'
import { createDocxFiles, createDocx } from '../testing/create-docx.ts'
import { extract, extractInSharedThread, extractSegmentsInSharedThread } from '../testing/extract.ts'
import { createZip } from '../testing/create-zip.ts'

const CORE =
  '<cp:coreProperties xmlns:cp="a" xmlns:dc="b"><dc:title>Ada &amp; I</dc:title></cp:coreProperties>'

describe('[K4] Word documents', () => {
  test('headings give places, and the title is separate', async () => {
    const docx = createDocx(
      ['Before.', '# Work', 'I build <engines> & looms.'],
      [{ name: 'docProps/core.xml', data: CORE }],
    )
    expect(await extract(docx, 'a.docx')).toMatchObject({
      title: 'Ada & I',
      segments: [
        { text: 'Before.', place: {} },
        { text: 'Work\n\nI build <engines> & looms.', place: { heading: 'Work' } },
      ],
    })
  })

  const whole = createDocx(['Some words.'])
  const zeros = Buffer.alloc(120_000_000)
  test.each([
    ['cut off', whole.subarray(0, whole.length - 40), /cut off/],
    ['cut off in the middle', whole.subarray(0, whole.length >> 1), /cut off/],
    ['without text', createDocx([]), /no text/],
    ['locked', createZip(createDocxFiles('').map((file) => ({ ...file, flags: 1 }))), /password/],
    ['of broken XML', createZip(createDocxFiles('<w:p><w:r>')), /broken/],
    [
      'a flat bomb in its text',
      createZip([...createDocxFiles(''), { name: 'word/a.xml', data: zeros }]),
      /far more/,
    ],
    [
      'a flat bomb beside its text',
      createZip([...createDocxFiles(''), { name: 'word/media/a.bin', data: zeros }]),
      /far more/,
    ],
    [
      'a bomb that says it is small',
      createZip([
        ...createDocxFiles(''),
        { name: 'word/a.xml', data: zeros.subarray(0, 30_000_000), claimedSize: 1_000 },
      ]),
      /cut off/,
    ],
  ])('[K4] attack: a document that is %s', async (_, docx, why) => {
    expect(await extractInSharedThread(docx, 'a.docx')).toEqual({
      kind: 'unreadable',
      why: expect.stringMatching(why),
    })
  })

  test('[K4] attack: a nested archive bomb is never unpacked', async () => {
    const inner = createZip([{ name: 'a.zip', data: createZip([{ name: 'a', data: zeros }]) }])
    const docx = createDocx(['Some words.'], [{ name: 'word/embeddings/a.docx', data: inner }])
    expect(await extractSegmentsInSharedThread(docx, 'a.docx')).toEqual([{ text: 'Some words.', place: {} }])
  })

  test('[K4] attack: nested tables', async () => {
    const depth = 20_000
    const body = `${'<w:tbl><w:tr><w:tc>'.repeat(depth)}<w:p><w:r><w:t>deep</w:t></w:r></w:p>${'</w:tc></w:tr></w:tbl>'.repeat(depth)}`
    expect(await extractInSharedThread(createZip(createDocxFiles(body)), 'a.docx')).toMatchObject({
      kind: 'unreadable',
    })
  })

  test('[K4] attack: expanding entities', async () => {
    const [first, ...others] = createDocxFiles('<w:p><w:r><w:t>&b;</w:t></w:r></w:p>').toReversed()
    const bomb = `<!DOCTYPE a [<!ENTITY a "${'x'.repeat(1_000)}"><!ENTITY b "${'&a;'.repeat(1_000)}">]>`
    const document = { name: 'word/document.xml', data: String(first?.data).replace('?>', `?>${bomb}`) }
    const outcome = await extractInSharedThread(createZip([...others, document]), 'a.docx')
    expect(JSON.stringify(outcome).length).toBeLessThan(5_000)
  })
})
