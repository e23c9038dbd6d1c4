import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { SessionView } from '@parley/contracts'
import { freshDatabase } from '@parley/postgres/testing'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { startApi } from './start-api.ts'

const TOKEN = 'made-up-token-of-an-owner'

async function optionsOf() {
  const fresh = await freshDatabase()
  const home = await mkdtemp(join(tmpdir(), 'parley-api-'))
  onTestFinished(async () => {
    await fresh.drop()
    await rm(home, { recursive: true })
  })
  const logger = pino({ level: 'silent' })
  return { databaseUrl: fresh.databaseUrl, home, port: 0, ownerToken: TOKEN, logger }
}

test('sessions work in an empty folder of their own, separate from the keys', async () => {
  const options = await optionsOf()
  await writeFile(join(options.home, 'owner-token'), TOKEN)
  const api = await startApi(options)
  onTestFinished(() => api.stop())
  const response = await fetch(`${api.url}/v1/sessions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
    body: '{}',
  })
  const { context } = SessionView.parse(await response.json())
  expect(dirname(context.workingDir)).toBe(join(options.home, 'workspace'))
  expect((await stat(context.workingDir)).mode & 0o777).toBe(0o700)
  expect(await readdir(context.workingDir)).toEqual([])
})

test('callbacks get an address that is already open; early requests wait', async () => {
  const options = await optionsOf()
  let early: Promise<Response> | undefined
  const api = await startApi({
    ...options,
    async voiceAt(url) {
      early = fetch(`${url}/healthz`)
      return undefined
    },
  })
  onTestFinished(() => api.stop())
  const answer = await early
  expect({ status: answer?.status, url: answer?.url }).toEqual({ status: 200, url: `${api.url}/healthz` })
})

test('the error names a sessions folder that cannot be created', async () => {
  const options = await optionsOf()
  await writeFile(join(options.home, 'workspace'), 'in the way')
  await expect(startApi(options)).rejects.toMatchObject({
    code: 'config_invalid',
    message: expect.stringContaining(join(options.home, 'workspace')),
  })
})
