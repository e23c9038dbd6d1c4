import { execFile } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newHome, parley } from './testing/parley-process.ts'

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const folder = at(`../dist/test-${process.pid}`)
const program = `${folder}/parley.mjs`

beforeAll(async () => {
  await promisify(execFile)(process.execPath, [at('../scripts/bundle.mjs'), folder])
})
afterAll(() => rm(folder, { recursive: true }))

test('what is published runs', async () => {
  await using home = await newHome()
  const version = await parley(['--version'], { ...home, program })
  expect(version).toEqual({ code: 0, stdout: expect.stringMatching(/^parley \d/), stderr: '' })
  const chat = await parley(['chat', '--message', 'Hello'], { ...home, program })
  expect(chat).toEqual({
    code: 0,
    stdout: expect.stringMatching(/^Hello\. I am the offline model/),
    stderr: '',
  })
  expect((await parley(['sessions'], { ...home, program })).stdout).toContain('Hello')
})
