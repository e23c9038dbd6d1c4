import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findAgent } from './find-agent.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-agents-'))
})
afterAll(() => rm(folder, { recursive: true }))

test('an agent that the program brings along is found by its id', async () => {
  expect(await findAgent('offline')).toMatchObject({ id: 'offline', provider: 'offline' })
})

test.each(['helper', 'helper.agent.yaml'])('a file is read: %s', async (name) => {
  const file = join(folder, name)
  await writeFile(file, 'id: mine\nprovider: offline\nmodel: offline\n')
  expect(await findAgent(file)).toMatchObject({ id: 'mine' })
})

test.each([
  ['ofline', 'There is no agent "ofline"; did you mean "offline"?'],
  ['helper', 'There is no agent "helper".'],
])('[S1] an unknown id is told: %s', async (given, message) => {
  await expect(findAgent(given)).rejects.toMatchObject({
    code: 'agent_not_found',
    message,
    detail: { mend: expect.stringContaining('offline') },
  })
})

test('a file that is not there is told as a file', async () => {
  await expect(findAgent(join(folder, 'none.agent.yaml'))).rejects.toMatchObject({
    code: 'agent_not_found',
    message: expect.stringMatching(/^There is no agent file .*none\.agent\.yaml\.$/),
  })
})
