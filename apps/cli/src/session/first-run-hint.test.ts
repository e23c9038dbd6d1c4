import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newHome, parley } from '../testing/parley-process.ts'
import { firstRunHint } from './first-run-hint.ts'

const offline = { name: 'offline', kind: 'offline', source: 'built in' } as const
const openai = { name: 'openai', kind: 'openai', source: 'config', apiKeyName: 'OPENAI_API_KEY' } as const

test.each([
  ['nothing but the offline model', [offline], /^For another model: `parley providers add/],
  ['a provider without its key', [openai, offline], /^For another model: `parley providers add/],
  [
    'a provider that is ready',
    [{ ...openai, apiKey: 'made-up' }, offline],
    /^openai is ready: parley chat --model openai\//,
  ],
])('with %s it says what comes next, once for each data folder', async (_, providers, expected) => {
  await using at = await newHome()
  const home = join(at.home, 'not-made-yet')
  expect(await firstRunHint(home, providers)).toMatch(expected)
  expect(await firstRunHint(home, providers)).toBeUndefined()
})

test('in a pipe it is told beside the first answer, and not again', async () => {
  await using at = await newHome()
  const environment = { PARLEY_HOME: join(at.home, 'not-made-yet') }
  const answered = () => parley(['chat', '--message', 'My boat is called Wanda.'], { ...at, environment })
  expect(await answered()).toEqual({
    code: 0,
    stdout: expect.stringMatching(/^Noted/),
    stderr: expect.stringMatching(/^parley: For another model: `parley providers add .*\n$/),
  })
  expect(await answered()).toMatchObject({ code: 0, stderr: '' })
})
