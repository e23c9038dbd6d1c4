import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { freshDatabase } from '@parley/postgres/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHome, readUntil, runRefusedStart, startParley, waitForEnd } from '../testing/parley-process.ts'

const READY = /^ready (\{.*\})$/m

interface Served {
  readonly child: ReturnType<typeof startParley>
  readonly ended: ReturnType<typeof waitForEnd>
  readonly voiceUrl: string
  readonly statusFor: (key: string) => Promise<number>
}

async function startVoiceService(
  at: { readonly home: string },
  environment: Readonly<Record<string, string>> = {},
  options: readonly string[] = [],
): Promise<Served & AsyncDisposable> {
  const { databaseUrl, drop } = await freshDatabase()
  const child = startParley(['serve', 'voice', ...options], {
    ...at,
    environment: { DATABASE_URL: databaseUrl, PARLEY_VOICE_PORT: '0', ...environment },
  })
  const ended = waitForEnd(child)
  const said = await readUntil(child.stdout, READY)
  child.stdout.resume()
  const { voiceUrl } = JSON.parse(READY.exec(said)?.[1] ?? '{}') as { voiceUrl: string }
  const statusFor = async (key: string) =>
    (await fetch(`${voiceUrl}/v1/user`, { headers: { 'xi-api-key': key } })).status
  return {
    child,
    ended,
    statusFor,
    voiceUrl,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await ended
      await drop()
    },
  }
}

test(
  '[X2] the voice provider creates its key once, reports when it is ready, and stops on a signal',
  { timeout: 120_000 },
  async () => {
    await using at = await createHome()
    await using voice = await startVoiceService(at)
    const file = join(at.home, 'voice-key')
    const key = (await readFile(file, 'utf8')).trim()
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(await voice.statusFor(key)).toBe(200)
    expect(await voice.statusFor('sk_made_up')).toBe(401)
    voice.child.kill('SIGTERM')
    expect(await voice.ended).toMatchObject({ code: 0, stderr: '' })
  },
)

describe('[X2] with a configured key and host', { timeout: 120_000 }, () => {
  const KEY = 'sk_made_up'
  let at: Awaited<ReturnType<typeof createHome>>
  let voice: Awaited<ReturnType<typeof startVoiceService>>
  beforeAll(async () => {
    at = await createHome()
    voice = await startVoiceService(at, { ELEVENLABS_API_KEY: KEY }, ['--host', '127.0.0.2'])
  })
  afterAll(async () => {
    await voice?.[Symbol.asyncDispose]()
    await at[Symbol.asyncDispose]()
  })

  test('the configured key is used', async () => {
    expect(await voice.statusFor(KEY)).toBe(200)
    expect(await voice.statusFor('sk_another')).toBe(401)
  })

  test('it listens on --host and accepts that host name', async () => {
    expect(voice.voiceUrl).toMatch(/^http:\/\/127\.0\.0\.2:/)
    expect(await voice.statusFor(KEY)).toBe(200)
  })

  test('speech is loaded just before the first caller connects', async () => {
    const headers = { 'xi-api-key': KEY, 'content-type': 'application/json' }
    const of = (path: string) => `${voice.voiceUrl}/v1/convai/${path}`
    const made = await fetch(of('agents/create'), {
      method: 'POST',
      headers,
      body: '{"conversation_config":{}}',
    })
    const { agent_id: agentId } = (await made.json()) as { agent_id: string }
    const loaded = readUntil(voice.child.stdout, /"speech is loaded"/)
    await fetch(of(`conversation/get-signed-url?agent_id=${agentId}`), { headers })
    await loaded
    voice.child.stdout.resume()
    voice.child.kill('SIGTERM')
    expect(await voice.ended).toMatchObject({ code: 0 })
  })
})

test('a host that is not an IP address is refused', async () => {
  await using at = await createHome()
  const { code, stderr } = await runRefusedStart(['serve', 'voice', '--host', 'everywhere'], at)
  expect(code).toBe(2)
  expect(stderr).toContain('--host must be an IP address')
})

test('the voice provider needs a database', async () => {
  await using at = await createHome()
  const { code, stderr } = await runRefusedStart(['serve', 'voice'], at)
  expect(code).toBe(2)
  expect(stderr).toContain('DATABASE_URL is not set')
})
