import { openProvider, type JsonBody } from '@parley/postgres'
import { freshDatabase } from '@parley/postgres/testing'
import { onTestFinished } from 'vitest'
import { storeFinishedConversation, createTranscriptDelivery } from './finished-conversation.fixture.ts'
import { startDeliverer, type DelivererHost } from './deliverer.ts'

export const SECRET = 'wsec_made_up_secret_of_a_test'
const NO_AUDIO = new Uint8Array()

/** A store with one webhook, without a provider. */
export async function createDeliveryStore(url: string, webhook: JsonBody = {}) {
  const { databaseUrl, drop } = await freshDatabase()
  const store = await openProvider({ databaseUrl })
  const closing: (() => Promise<void>)[] = []
  onTestFinished(async () => {
    for (const close of closing) await close()
    await store.close()
    await drop()
  })
  const body = {
    webhook_url: url,
    request_headers: {},
    is_disabled: false,
    is_auto_disabled: false,
    retry_enabled: true,
    ...webhook,
  }
  await store.documents.put('webhook', { id: 'webhook_1', body, secret: SECRET })
  /** Runs until the test ends. */
  const deliverer = (pace: DelivererHost['pace'] = {}) => {
    const failures: unknown[] = []
    const started = startDeliverer({
      store,
      now: Date.now,
      onError: (failure) => failures.push(failure),
      pace: { pollMs: 20, pausesMs: [1, 1], ...pace },
    })
    closing.push(() => started.stop())
    return { ...started, failures }
  }
  return {
    store,
    databaseUrl,
    deliverer,
    webhook: async () => (await store.documents.get('webhook', 'webhook_1'))?.body,
    finish: (id: string, deliveries = [createTranscriptDelivery(id)], audio = NO_AUDIO) =>
      storeFinishedConversation(store, id, deliveries, audio),
  }
}
