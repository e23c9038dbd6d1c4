import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { PlatformError } from '@parley/contracts'
import { detectContext, parseVariables } from './session-variables.ts'

test('[S9] names and values are split at the first equals sign', () => {
  expect(parseVariables(['city=Oslo', 'formula=a=b', 'empty=', 'a.b-c_1=x'])).toEqual({
    city: 'Oslo',
    formula: 'a=b',
    empty: '',
    'a.b-c_1': 'x',
  })
})

test.each([
  [['city'], 'needs a name and a value'],
  [['=Oslo'], '"" cannot be the name'],
  [['my city=Oslo'], '"my city" cannot be the name'],
  [['1st=Oslo'], '"1st" cannot be the name'],
  [['city=Oslo', 'city=Rome'], 'given twice'],
])('%j is refused', (given, expected) => {
  expect(() => parseVariables(given)).toThrow(expected)
})

const SECRET = 'sk-ant-api03-AbCdEf0123456789xyzAbCd'

test.each([[`key=${SECRET}`], [SECRET], [`my key=${SECRET}`]])(
  '[S9] a secret is refused and never printed',
  (given) => {
    let failure: unknown
    try {
      parseVariables([given])
    } catch (thrown) {
      failure = thrown
    }
    expect(failure).toBeInstanceOf(PlatformError)
    expect(failure).toMatchObject({
      code: 'validation',
      message: expect.stringContaining('an Anthropic API key'),
    })
    expect(JSON.stringify((failure as PlatformError).detail)).not.toContain('AbCdEf')
  },
)

test.each([
  ['made-up-key-of-words', 'note=it is made-up-key-of-words, really'],
  ['short', 'note=short'],
])('[S9] a provider key of any form is refused and never printed', (apiKey, given) => {
  const providers = [{ name: 'offline' }, { name: 'acme', apiKey }]
  expect(() => parseVariables([given], providers)).toThrow(
    'The variable "note" contains the key of the provider acme.',
  )
  expect(parseVariables(['note=a short one'], providers)).toEqual({ note: 'a short one' })
  expect(String(thrownBy(() => parseVariables([given], providers)))).not.toContain(apiKey)
})

function thrownBy(work: () => unknown): unknown {
  try {
    return work()
  } catch (failure) {
    return failure instanceof PlatformError ? JSON.stringify(failure.detail) : failure
  }
}

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-context-'))
  await mkdir(join(folder, 'deep/er'), { recursive: true })
})
afterEach(() => rm(folder, { recursive: true }))

const COMMIT = '0123456789abcdef0123456789abcdef01234567'

test.each([
  ['a branch', 'ref: refs/heads/feature/x\n', 'feature/x'],
  ['a detached head', `${COMMIT}\n`, COMMIT],
  ['an invalid head', 'what', undefined],
])('[S9] %s is found from a subfolder', async (_, head, expected) => {
  await mkdir(join(folder, '.git'))
  await writeFile(join(folder, '.git/HEAD'), head)
  const workingDir = join(folder, 'deep/er')
  const context = await detectContext(workingDir)
  expect(context).toEqual({
    workingDir,
    fsScopeTier: 'sandboxed',
    ...(expected !== undefined && { gitRef: expected }),
  })
})

test('[S9] a worktree has its own branch', async () => {
  await mkdir(join(folder, 'main/.git/worktrees/deep'), { recursive: true })
  await writeFile(join(folder, 'main/.git/worktrees/deep/HEAD'), 'ref: refs/heads/side\n')
  await writeFile(join(folder, 'deep/.git'), 'gitdir: ../main/.git/worktrees/deep\n')
  expect(await detectContext(join(folder, 'deep'))).toMatchObject({ gitRef: 'side' })
})
