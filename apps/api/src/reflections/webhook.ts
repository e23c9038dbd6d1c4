import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import { z } from 'zod'
import type { VoiceSettings } from './voice-settings.ts'

/** The webhook that the provider calls when a call is over. */
export interface Webhook {
  /** The provider's id of the webhook; null if it could not be created. Calls are then read from the provider later. */
  id(): Promise<string | null>
  /** The secrets that its messages may be signed with. */
  secrets(): Promise<readonly string[]>
}

export interface WebhookHost {
  readonly voice: VoiceSettings
  /** The data folder. The provider shows a secret once, so it is stored here. */
  readonly home: string
  readonly logger: Logger
}

const StoredWebhook = z.object({ url: z.string(), webhookId: z.string(), secret: z.string() })
type StoredWebhook = z.infer<typeof StoredWebhook>

const NAME = 'Parley'
const ENSURE_MS = 20_000
const SAVING_MS = 1_000

export function createWebhook({ voice, home, logger }: WebhookHost): Webhook {
  const file = join(home, 'webhook.json')
  const url = `${voice.publicUrl.replace(/\/+$/, '')}/v1/webhooks/elevenlabs`
  const ensureAt = (address: string) =>
    voice.provider.ensureWebhook({ name: NAME, url: address }, AbortSignal.timeout(ENSURE_MS))
  const readStored = async (): Promise<StoredWebhook | undefined> => {
    const stored = await readStoredWebhook(file)
    if (stored) voice.onSecret?.(stored.secret)
    return stored
  }
  let finding: Promise<Partial<StoredWebhook>> | undefined

  const findOrCreate = async (): Promise<Partial<StoredWebhook>> => {
    const stored = await readStored()
    // A stored webhook for another address is outdated.
    if (stored?.url.startsWith(url)) {
      const { webhookId, secret } = await ensureAt(stored.url)
      if (secret === undefined && webhookId === stored.webhookId) return stored
    }
    const ensured = await ensureAt(url)
    // The webhook was created by hand, and its secret is configured.
    if (ensured.secret === undefined && voice.webhookSecret !== undefined)
      return { webhookId: ensured.webhookId }
    if (ensured.secret === undefined) {
      // Another process may be about to store the secret.
      await pause(SAVING_MS, undefined, { ref: false })
      const storedByOther = await readStored()
      if (storedByOther?.webhookId === ensured.webhookId) return storedByOther
    }
    // A lost secret cannot be read again, so a new webhook gets its own address.
    const newUrl = ensured.secret === undefined ? `${url}?of=${randomBytes(9).toString('base64url')}` : url
    const { webhookId, secret } = ensured.secret === undefined ? await ensureAt(newUrl) : ensured
    if (secret === undefined) return { webhookId }
    voice.onSecret?.(secret)
    await writeFile(file, JSON.stringify({ url: newUrl, webhookId, secret }), { mode: 0o600 })
    return { webhookId, secret }
  }

  /** A failure is logged; the next call tries again. */
  const getWebhook = (): Promise<Partial<StoredWebhook>> =>
    (finding ??= findOrCreate().catch((err: unknown): Partial<StoredWebhook> => {
      finding = undefined
      logger.warn({ err }, 'the webhook could not be created: calls are read from the provider later')
      return {}
    }))

  return {
    id: async () => (await getWebhook()).webhookId ?? null,
    async secrets() {
      const { webhookSecret } = voice
      const { secret } = (await readStored()) ?? (webhookSecret === undefined ? await getWebhook() : {})
      return [webhookSecret, secret].filter((one) => one !== undefined)
    },
  }
}

async function readStoredWebhook(file: string): Promise<StoredWebhook | undefined> {
  try {
    return StoredWebhook.safeParse(JSON.parse(await readFile(file, 'utf8'))).data
  } catch {
    return undefined
  }
}
