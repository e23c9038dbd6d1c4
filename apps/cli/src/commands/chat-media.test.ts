import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { configure, answerWith, startModelServer } from '../testing/model-server.ts'
import { createHome, parley } from '../testing/parley-process.ts'

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

test.each([
  ['with --file', ['--file', 'dot.png', '--message', 'What is it?']],
  ['with an @ mention', ['--message', 'What is it? @dot.png']],
])('[S10] an image attached %s reaches the model and is named in the transcript', async (_, args) => {
  await using at = await createHome()
  await using server = await startModelServer(answerWith('A dot.'))
  await configure(at.home, { local: server })
  await writeFile(join(at.home, 'dot.png'), Buffer.from(PNG, 'base64'))
  expect(await parley(['chat', ...args], at)).toEqual({ code: 0, stdout: 'A dot.\n', stderr: '' })
  expect(JSON.stringify(server.asked)).toContain(`data:image/png;base64,${PNG}`)
  const { items } = JSON.parse((await parley(['sessions', '--json'], at)).stdout)
  expect((await parley(['sessions', 'show', items[0].id], at)).stdout).toMatch(/What is it\?[^]*\[dot\.png\]/)
})

test('[S10] too many images, an image without text, and other binary files are refused before anything is sent', async () => {
  await using at = await createHome()
  await writeFile(join(at.home, 'dot.png'), Buffer.from(PNG, 'base64'))
  await writeFile(join(at.home, 'program.png'), Buffer.from('7f454c46020101ff', 'hex'))
  const refuseFile = async (...args: readonly string[]) => {
    const { code, stderr } = await parley(['chat', ...args], at)
    expect(code).toBe(2)
    return stderr
  }
  expect(await refuseFile('--message', 'Look', ...files('dot.png', 11))).toContain(
    'At most 10 images and PDFs',
  )
  expect(await refuseFile('--message', ' ', ...files('dot.png', 1))).toContain('The message has no text.')
  expect(await refuseFile('--message', 'Look', ...files('program.png', 1))).toContain(
    'is not UTF-8 text, a PNG, JPEG, GIF or WebP image, or a PDF. Nothing was sent.',
  )
})

const files = (name: string, count: number) => Array.from({ length: count }, () => ['--file', name]).flat()
