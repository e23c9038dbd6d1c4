import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { freshFolder, put, toolsIn } from './testing/file-fixture.ts'

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')
const utf16 = (text: string) => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')])

async function readIn(
  files: Readonly<Record<string, string | Uint8Array>>,
  input: Record<string, string | number>,
) {
  const folder = await freshFolder()
  await put(join(folder, 'work'), files)
  return toolsIn({ workingDir: join(folder, 'work') }).call('read_file', { path: 'a.txt', ...input })
}

test.each<[string, string | Uint8Array, Record<string, number>, string]>([
  ['a whole file as it stands', 'one\r\ntwo\r\n', {}, 'one\r\ntwo\r\n'],
  ['a file without a line end', 'one\ntwo', {}, 'one\ntwo'],
  ['lines from the middle', '1\n2\n3\n4\n', { from_line: 2, lines: 2 }, '[lines 2–3 of 4]\n2\n3\n'],
  ['lines up to the end', '1\n2\n3', { from_line: 3 }, '[lines 3–3 of 3]\n3'],
  ['all lines, asked for by number', '1\n2\n', { from_line: 1, lines: 9 }, '1\n2\n'],
  ['an empty file', '', {}, '[the file is empty]'],
  ['characters', 'abcdef', { from_character: 2, characters: 3 }, '[characters 2–4 of 6]\ncde'],
  ['characters up to the end', 'abc\ndef', { from_character: 3 }, '[characters 3–6 of 7]\n\ndef'],
  ['no half of a character', 'a😀b😀c', { from_character: 2, characters: 3 }, '[characters 1–5 of 7]\n😀b😀'],
  ['UTF-8 without its mark', '\u{feff}grüße', {}, 'grüße'],
  ['UTF-16', utf16('grüße\n'), {}, 'grüße\n'],
  [
    'an older encoding, as far as it goes',
    Buffer.from('a long line, grüßend', 'latin1'),
    {},
    '[some bytes are not UTF-8 and are shown as �]\na long line, gr��end',
  ],
])('[S12] read_file reads %s', async (_, content, range, expected) => {
  expect(await readIn({ 'a.txt': content }, range)).toMatchObject({ kind: 'ok', text: expected })
})

test.each<[string, Uint8Array, string]>([
  ['PNG', PNG, 'image/png'],
  ['JPEG', Buffer.from('ffd8ffe000104a464946', 'hex'), 'image/jpeg'],
  ['GIF', Buffer.from('GIF89a\0\0'), 'image/gif'],
  ['WebP', Buffer.from('RIFF\x10\0\0\0WEBPVP8 '), 'image/webp'],
  ['PDF', Buffer.from('%PDF-1.7\n%\0'), 'application/pdf'],
])('[S12] read_file shows a %s to the model, with any name', async (_, bytes, mediaType) => {
  expect(await readIn({ 'a.txt': bytes }, {})).toMatchObject({
    kind: 'ok',
    text: `a.txt is shown as ${mediaType}, ${bytes.length} bytes.`,
    media: [{ mediaType, bytes, name: 'a.txt' }],
  })
})

test.each<[string, Uint8Array]>([
  ['bytes with a NUL', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 0, 1])],
  ['bytes that are no text', Buffer.from('fffefdfcfbfaf9f8f7', 'hex').subarray(2)],
])('read_file describes %s', async (_, bytes) => {
  const said = await readIn({ 'a.txt': bytes }, {})
  expect(said).toMatchObject({ kind: 'failed', code: 'tool_failed' })
  expect(said.text).toContain(`${bytes.length} bytes of an unknown kind`)
})

test('read_file reports a file that is too large, or a line beyond its end', async () => {
  expect((await readIn({ 'a.txt': Buffer.alloc(10_000_001, 'a') }, {})).text).toContain(
    'at most 10.0 MB are read',
  )
  expect((await readIn({ 'a.txt': '1\n2\n' }, { from_line: 3 })).text).toBe(
    'a.txt has 2 lines, so there is no line 3.',
  )
})

test('read_file suggests a similar file name', async () => {
  expect(await readIn({ 'notes.md': '' }, { path: 'note.md' })).toMatchObject({
    kind: 'refused',
    code: 'tool_failed',
    text: 'note.md does not exist. notes.md is in .: did you mean that?',
  })
})

test('[S13] the result of read_file names the file as its origin, and needs no approval', async () => {
  const folder = await freshFolder()
  await writeFile(join(folder, 'work', 'a.txt'), 'x')
  const planned = await toolsIn({ workingDir: join(folder, 'work') }).plan('read_file', { path: './a.txt' })
  expect(planned).toMatchObject({ kind: 'plan', target: 'a.txt', origin: 'the file a.txt' })
  expect(planned).not.toHaveProperty('approval')
})

test('[S12] read_file reads handles, by lines, and shows pictures', async () => {
  const text = `media://sha256-${'a'.repeat(64)}`
  const picture = `media://sha256-${'b'.repeat(64)}`
  const { call } = toolsIn({
    workingDir: await freshFolder(),
    media: {
      [text]: { mediaType: 'text/plain', bytes: Buffer.from('1\n2\n3\n') },
      [picture]: { mediaType: 'image/png', bytes: PNG },
    },
  })
  expect((await call('read_file', { path: text, from_line: 2, lines: 1 })).text).toBe('[lines 2–2 of 3]\n2\n')
  expect(await call('read_file', { path: picture })).toMatchObject({ media: [{ mediaType: 'image/png' }] })
  expect((await call('read_file', { path: text.replace('-a', '-c') })).text).toContain(
    'This session has no media://',
  )
  expect(await call('read_file', { path: 'media://sha256-../../etc' })).toMatchObject({
    kind: 'refused',
    code: 'validation',
  })
})

test('read_file stops when it is cancelled', async () => {
  const folder = await freshFolder()
  await writeFile(join(folder, 'work', 'a.txt'), 'x')
  const planned = await toolsIn({ workingDir: join(folder, 'work') }).plan('read_file', { path: 'a.txt' })
  if (planned.kind !== 'plan') throw new Error(planned.text)
  await expect(planned.carryOut(AbortSignal.abort())).rejects.toThrow('aborted')
})

test.each<[string, Record<string, number>, string]>([
  ['a character too far', { from_character: 3 }, 'has 3 characters, from 0 on, so there is no character 3'],
  ['a line too far', { from_line: 2 }, 'has 1 line, so there is no line 2'],
  ['lines and characters', { from_line: 1, from_character: 1 }, 'either lines or characters'],
])('read_file explains the problem with %s', async (_, range, words) => {
  expect(await readIn({ 'a.txt': 'abc' }, range)).toMatchObject({
    kind: 'failed',
    text: expect.stringContaining(words),
  })
})

test('[S12] a long line can be read in parts', async () => {
  const text = '😀x'.repeat(2_000)
  let read = ''
  while (read.length < text.length) {
    const said = await readIn({ 'a.txt': text }, { from_character: read.length, characters: 1_000 })
    read += said.text.replace(/^.*\n/, '')
  }
  expect(read).toBe(text)
})
