import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import { z } from 'zod'
import type { VoiceSettings } from './voice-settings.ts'

/** Where the provider tells of calls that are over. */
export interface Webhook {
  /** The provider's id of it, for agents; null while the provider does not give us one: then calls are read from it later. */
  id(): Promise<string | null>
  /** What its messages are signed with; none while it is not known. */
  secrets(): Promise<readonly string[]>
}

export interface WebhookHost {
  readonly voice: VoiceSettings
  /** The data folder: the provider shows a secret once, so it is stored there. */
  readonly home: string
  readonly logger: Logger
}

const Kept = z.object({ url: z.string(), webhookId: z.string(), secret: z.string() })
type Kept = z.infer<typeof Kept>

const NAME = 'Parley'
const PATIENCE_MS = 20_000
const KEEPING_MS = 1_000

export function createWebhook({ voice, home, logger }: WebhookHost): Webhook {
  const file = join(home, 'webhook.json')
  const url = `${voice.publicUrl.replace(/\/+$/, '')}/v1/webhooks/elevenlabs`
  const ensure = (wanted: string) =>
    voice.provider.ensureWebhook({ name: NAME, url: wanted }, AbortSignal.timeout(PATIENCE_MS))
  const read = async (): Promise<Kept | undefined> => {
    const kept = await keptIn(file)
    if (kept) voice.onSecret?.(kept.secret)
    return kept
  }
  let found: Promise<Partial<Kept>> | undefined

  const find = async (): Promise<Partial<Kept>> => {
    const kept = await read()
    // One that stands at another address is of another time.
    if (kept?.url.startsWith(url)) {
      const { webhookId, secret } = await ensure(kept.url)
      if (secret === undefined && webhookId === kept.webhookId) return kept
    }
    const made = await ensure(url)
    // One that was made by hand: whoever made it has told us its secret.
    if (made.secret === undefined && voice.webhookSecret !== undefined) return { webhookId: made.webhookId }
    if (made.secret === undefined) {
      // Another process may just have been told it, and be about to keep it.
      await pause(KEEPING_MS, undefined, { ref: false })
      const theirs = await read()
      if (theirs?.webhookId === made.webhookId) return theirs
    }
    // A secret that is lost is not told again: then a new one has an address of its own.
    const newUrl = made.secret === undefined ? `${url}?of=${randomBytes(9).toString('base64url')}` : url
    const { webhookId, secret } = made.secret === undefined ? await ensure(newUrl) : made
    if (secret === undefined) return { webhookId }
    voice.onSecret?.(secret)
    await writeFile(file, JSON.stringify({ url: newUrl, webhookId, secret }), { mode: 0o600 })
    return { webhookId, secret }
  }

  /** A failure is logged; the next call tries again. */
  const look = (): Promise<Partial<Kept>> =>
    (found ??= find().catch((err: unknown): Partial<Kept> => {
      found = undefined
      logger.warn({ err }, 'the provider cannot be given a webhook: calls are read from it later')
      return {}
    }))

  return {
    id: async () => (await look()).webhookId ?? null,
    async secrets() {
      const { webhookSecret } = voice
      const { secret } = (await read()) ?? (webhookSecret === undefined ? await look() : {})
      return [webhookSecret, secret].filter((one) => one !== undefined)
    },
  }
}

async function keptIn(file: string): Promise<Kept | undefined> {
  try {
    return Kept.safeParse(JSON.parse(await readFile(file, 'utf8'))).data
  } catch {
    return undefined
  }
}
