import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { freshDatabase } from '@parley/postgres/testing'
import { expect, onTestFinished, test } from 'vitest'
import { newHome, parley, readUntil, startParley, whenEnded } from '../testing/parley-process.ts'

const READY = /^ready (\{.*\})$/m

async function served(
  at: { readonly home: string },
  environment: Readonly<Record<string, string>> = {},
  options: readonly string[] = [],
) {
  const { databaseUrl, drop } = await freshDatabase()
  onTestFinished(() => drop())
  const child = startParley(['serve', 'voice', ...options], {
    ...at,
    environment: { DATABASE_URL: databaseUrl, PARLEY_VOICE_PORT: '0', ...environment },
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const ended = whenEnded(child)
  const said = await readUntil(child.stdout, READY)
  child.stdout.resume()
  const { voiceUrl } = JSON.parse(READY.exec(said)?.[1] ?? '{}') as { voiceUrl: string }
  const statusFor = async (key: string) =>
    (await fetch(`${voiceUrl}/v1/user`, { headers: { 'xi-api-key': key } })).status
  return { child, ended, statusFor, voiceUrl }
}

test(
  '[X2] the voice provider makes its key once, says when it is ready, and ends when it is asked to',
  { timeout: 120_000 },
  async () => {
    await using at = await newHome()
    const { child, ended, statusFor } = await served(at)
    const file = join(at.home, 'voice-key')
    const key = (await readFile(file, 'utf8')).trim()
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(await statusFor(key)).toBe(200)
    expect(await statusFor('sk_made_up')).toBe(401)
    child.kill('SIGTERM')
    expect(await ended).toMatchObject({ code: 0, stderr: '' })
  },
)

test('[X2] a key that is set is the one', { timeout: 120_000 }, async () => {
  await using at = await newHome()
  const { statusFor } = await served(at, { ELEVENLABS_API_KEY: 'sk_made_up' })
  expect(await statusFor('sk_made_up')).toBe(200)
})

test('[X2] it listens where it is told to, and answers to that address', { timeout: 120_000 }, async () => {
  await using at = await newHome()
  const environment = { ELEVENLABS_API_KEY: 'sk_made_up' }
  const { statusFor, voiceUrl } = await served(at, environment, ['--host', '127.0.0.2'])
  expect(voiceUrl).toMatch(/^http:\/\/127\.0\.0\.2:/)
  expect(await statusFor('sk_made_up')).toBe(200)
})

test('a host that is no address is refused', async () => {
  await using at = await newHome()
  const { code, stderr } = await parley(['serve', 'voice', '--host', 'everywhere'], at)
  expect(code).toBe(2)
  expect(stderr).toContain('--host must be an IP address')
})

test('[X2] speech is loaded when the first caller is about to come', { timeout: 120_000 }, async () => {
  await using at = await newHome()
  const { databaseUrl, drop } = await freshDatabase()
  onTestFinished(() => drop())
  const key = 'sk_made_up'
  const environment = { DATABASE_URL: databaseUrl, PARLEY_VOICE_PORT: '0', ELEVENLABS_API_KEY: key }
  const child = startParley(['serve', 'voice'], { ...at, environment })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [, ready = ''] = READY.exec(await readUntil(child.stdout, READY)) ?? []
  const { voiceUrl } = JSON.parse(ready) as { voiceUrl: string }
  const headers = { 'xi-api-key': key, 'content-type': 'application/json' }
  const of = (path: string) => `${voiceUrl}/v1/convai/${path}`
  const made = await fetch(of('agents/create'), {
    method: 'POST',
    headers,
    body: '{"conversation_config":{}}',
  })
  const { agent_id: agentId } = (await made.json()) as { agent_id: string }
  await fetch(of(`conversation/get-signed-url?agent_id=${agentId}`), { headers })
  const loaded = readUntil(child.stdout, /"speech is loaded"/)
  child.stdout.resume()
  await loaded
  child.kill('SIGTERM')
  child.stdout.resume()
  expect(await whenEnded(child)).toMatchObject({ code: 0 })
})

test('the voice provider needs a database', async () => {
  await using at = await newHome()
  const { code, stderr } = await parley(['serve', 'voice'], at)
  expect(code).toBe(2)
  expect(stderr).toContain('DATABASE_URL is not set')
})
