import { execFile } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startParley, temporaryHome } from './support/running-parley.ts'

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const folder = at(`../apps/cli/dist/test-up-${process.pid}`)
let place: Awaited<ReturnType<typeof temporaryHome>>
beforeAll(async () => {
  place = await temporaryHome()
  await promisify(execFile)(process.execPath, [at('../apps/cli/scripts/bundle.mjs'), folder])
})
afterAll(async () => {
  await place.remove()
  await rm(folder, { recursive: true, force: true })
})

test('the bundle that is published runs everything, console included', { timeout: 60_000 }, async () => {
  const parley = await startParley(place.home, `${folder}/parley.mjs`)
  const page = await (await fetch(parley.ready.url)).text()
  const script = /src="([^"]+\.js)"/.exec(page)?.[1] ?? ''
  expect((await fetch(new URL(script, parley.ready.url))).headers.get('content-type')).toContain('javascript')
  expect((await fetch(`${parley.ready.url}/readyz`)).status).toBe(200)
  expect(await parley.stop('SIGINT')).toBe(0)
})
