import { chmod, mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { ownerToken } from './owner-token.ts'

const modeOf = async (path: string) => (await stat(path)).mode & 0o777

test('the owner’s token is made once, and closed to others whenever they could read it, which is said', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'parley-token-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const home = join(folder, 'home')
  const file = join(home, 'owner-token')
  const notices: string[] = []
  const read = () => ownerToken(home, undefined, (notice) => notices.push(notice))

  const made = await read()
  expect(made).toMatch(/^parley_[\w-]{43}$/)
  expect([await modeOf(home), await modeOf(file)]).toEqual([0o700, 0o600])
  expect(await read()).toBe(made)
  expect(notices).toEqual([])

  await chmod(file, 0o644)
  expect(await read()).toBe(made)
  expect(await modeOf(file)).toBe(0o600)
  expect(await read()).toBe(made)
  expect(notices).toEqual([
    expect.stringMatching(/^Other users could read .*owner-token; they no longer can/),
  ])
  expect(await ownerToken(home, 'set-by-hand', () => {})).toBe('set-by-hand')
})
