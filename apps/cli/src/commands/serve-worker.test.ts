import { freshDatabase } from '@parley/postgres/testing'
import { expect, onTestFinished, test } from 'vitest'
import { newHome, parley, readUntil, startParley, whenEnded } from '../testing/parley-process.ts'

test('a worker says when it is ready, and ends when it is asked to', { timeout: 120_000 }, async () => {
  await using at = await newHome()
  const { databaseUrl, drop } = await freshDatabase()
  onTestFinished(() => drop())
  const child = startParley(['serve', 'worker'], { ...at, environment: { DATABASE_URL: databaseUrl } })
  const ended = whenEnded(child)
  await readUntil(child.stdout, /"msg":"ready"/)
  child.stdout.resume()
  child.kill('SIGTERM')
  expect(await ended).toMatchObject({ code: 0, stderr: '' })
})

test('a worker needs a database that others share', async () => {
  await using at = await newHome()
  const { code, stderr } = await parley(['serve', 'worker'], at)
  expect(code).toBe(2)
  expect(stderr).toContain('DATABASE_URL is not set')
})
