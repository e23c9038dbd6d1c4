import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { MAX_FILE_BYTES, MAX_MEDIA_BYTES, readContextFiles, splitFiles, appendFiles } from './attachments.ts'

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-files-'))
  await mkdir(join(folder, 'folder'))
  await writeFile(join(folder, 'notes.md'), '\uFEFFone\ntwo\n')
  await writeFile(join(folder, 'picture.png'), Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff]))
  await writeFile(join(folder, 'image.txt'), PNG)
  await writeFile(join(folder, 'too-big.pdf'), `%PDF-1.7\n${'x'.repeat(MAX_MEDIA_BYTES)}`)
  await writeFile(join(folder, 'nul.txt'), 'a\0b')
  await writeFile(join(folder, 'largest.txt'), 'x'.repeat(MAX_FILE_BYTES))
  await writeFile(join(folder, 'too-big.txt'), 'x'.repeat(MAX_FILE_BYTES + 1))
})
afterAll(() => rm(folder, { recursive: true }))

test('a text file is read without its byte order mark and last newline', async () => {
  const path = join(folder, 'notes.md')
  expect(await readContextFiles([path])).toEqual([{ path, text: 'one\ntwo' }])
})

test('a file of the maximum size is accepted', async () => {
  const [file] = await readContextFiles([join(folder, 'largest.txt')])
  expect(file).toMatchObject({ text: 'x'.repeat(MAX_FILE_BYTES) })
})

test('an image is recognised by its first bytes, whatever its name', async () => {
  const path = join(folder, 'image.txt')
  expect(await readContextFiles([path])).toEqual([
    { path, media: { mediaType: 'image/png', bytes: PNG, name: 'image.txt' } },
  ])
})

test.each([
  ['missing.txt', /^There is no file .*missing\.txt\. Nothing was sent\.$/],
  ['folder', /is a folder/],
  ['picture.png', /is not UTF-8 text/],
  ['nul.txt', /is not UTF-8 text/],
  ['too-big.pdf', /has 5\.0 MB; at most 5 MB of images and PDFs/],
  ['too-big.txt', /has 1\.0 MB; at most 1 MB/],
])('%s is refused with its reason', async (name, reason) => {
  const reading = readContextFiles([join(folder, 'notes.md'), join(folder, name)])
  await expect(reading).rejects.toMatchObject({ code: 'validation', message: expect.stringMatching(reason) })
})

test('a message and its files can be separated again, whatever they contain', () => {
  const line = fc.constantFrom('a', ' ', '</file>', '<file path="x">', '"', '\\', 'é')
  const text = fc.array(line).map((parts) => parts.join(''))
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z ]*$/), fc.array(text, { maxLength: 3 }), (said, bodies) => {
      const files = bodies.map((body, index) => ({ path: `${index}.txt`, text: body }))
      const split = splitFiles(appendFiles(said, files))
      expect(split.text).toBe(said.trim())
      expect(split.files.map(({ path }) => path)).toEqual(files.map(({ path }) => path))
      expect(split.files.map((file) => file.text.replaceAll('<\\/file>', '</file>'))).toEqual(
        bodies.map((body) => body.replaceAll('<\\/file>', '</file>')),
      )
    }),
  )
})

test('a path cannot close its own tag', () => {
  expect(appendFiles('', [{ path: 'a">\n.txt', text: 'x' }])).toBe('<file path="a_>_.txt">\nx\n</file>')
})
