import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PlatformError } from '@parley/contracts'
import type { EnsuredWebhook, VoiceProvider, WantedWebhook } from '@parley/reflections'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import type { VoiceSettings } from './voice-settings.ts'
import { createWebhook } from './webhook.ts'

/** A provider that has webhooks and nothing else, and tells a secret once. */
function provider() {
  const held = new Map<string, EnsuredWebhook>()
  let isDown = false
  const port: Pick<VoiceProvider, 'ensureWebhook'> = {
    async ensureWebhook({ url }: WantedWebhook) {
      if (isDown) throw new PlatformError('provider_unavailable')
      const known = held.get(url)
      if (known) return { webhookId: known.webhookId }
      const made = { webhookId: `wh_${held.size + 1}`, secret: `wsec_made_up_${held.size + 1}` }
      held.set(url, made)
      return made
    },
  }
  return { port: port as VoiceProvider, held, goDown: (down: boolean) => void (isDown = down) }
}

async function started(from: ReturnType<typeof provider>, given: Partial<VoiceSettings> = {}, home?: string) {
  const folder = home ?? (await mkdtemp(join(tmpdir(), 'parley-webhook-')))
  if (home === undefined) onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const warned: string[] = []
  const logger = pino({ level: 'warn' }, { write: (line: string) => void warned.push(line) })
  const voice: VoiceSettings = {
    provider: from.port,
    publicUrl: 'https://parley.example.org/',
    socketOrigin: 'ws://127.0.0.1:4401',
    bindingSecrets: ['made-up'],
    toolSecret: 'made-up',
    defaultVoiceId: 'made-up',
    ...given,
  }
  return { webhook: createWebhook({ voice, home: folder, logger }), home: folder, warned }
}

test('[V16] the secret is stored, readable only by its owner', async () => {
  const vendor = provider()
  const first = await started(vendor)
  expect(await first.webhook.id()).toBe('wh_1')
  const again = await started(vendor, {}, first.home)
  expect(await again.webhook.id()).toBe('wh_1')
  expect(await again.webhook.secrets()).toEqual(['wsec_made_up_1'])
  expect((await stat(join(first.home, 'webhook.json'))).mode & 0o777).toBe(0o600)
})

test('[V16] a lost secret gives a new webhook with its own address', async () => {
  const vendor = provider()
  await (await started(vendor)).webhook.id()
  const { webhook } = await started(vendor)
  expect(await webhook.id()).toBe('wh_2')
  expect(await webhook.secrets()).toEqual(['wsec_made_up_2'])
  expect([...vendor.held.keys()]).toEqual([
    'https://parley.example.org/v1/webhooks/elevenlabs',
    expect.stringMatching(/^https:\/\/parley\.example\.org\/v1\/webhooks\/elevenlabs\?of=[\w-]{12}$/),
  ])
})

test('[V16] a secret that is configured counts beside the one that the provider told', async () => {
  const vendor = provider()
  const shown: string[] = []
  const given = {
    webhookSecret: 'wsec_made_up_by_hand',
    onSecret: (secret: string) => void shown.push(secret),
  }
  const { webhook, home } = await started(vendor, given)
  expect(await webhook.secrets()).toEqual(['wsec_made_up_by_hand'])
  expect(await webhook.id()).toBe('wh_1')
  expect(await webhook.secrets()).toEqual(['wsec_made_up_by_hand', 'wsec_made_up_1'])
  expect(shown).toContain('wsec_made_up_1')
  const again = await started(vendor, given, home)
  expect(await again.webhook.id()).toBe('wh_1')
  expect(await again.webhook.secrets()).toEqual(['wsec_made_up_by_hand', 'wsec_made_up_1'])
})

test('[V16] no other webhook is made beside one that was made by hand', async () => {
  const vendor = provider()
  vendor.held.set('https://parley.example.org/v1/webhooks/elevenlabs', { webhookId: 'wh_by_hand' })
  const { webhook } = await started(vendor, { webhookSecret: 'wsec_made_up_by_hand' })
  expect(await webhook.id()).toBe('wh_by_hand')
  expect(await webhook.secrets()).toEqual(['wsec_made_up_by_hand'])
  expect(vendor.held.size).toBe(1)
})

test('[V16] a provider that is down is only warned of, and asked again', async () => {
  const vendor = provider()
  vendor.goDown(true)
  const { webhook, warned } = await started(vendor)
  expect(await webhook.id()).toBeNull()
  expect(await webhook.secrets()).toEqual([])
  expect(warned.join()).toContain('calls are read from the provider later')
  vendor.goDown(false)
  expect(await webhook.id()).toBe('wh_1')
})
