import { openProvider } from '@parley/postgres'
import { storeFinishedConversation, createTranscriptDelivery } from './finished-conversation.fixture.ts'
import { startDeliverer } from './deliverer.ts'

/** A process that ends a conversation, may start to deliver it, and waits to be killed. */
const [databaseUrl = '', conversationId = '', manner = ''] = process.argv.slice(2)
const store = await openProvider({ databaseUrl })
await storeFinishedConversation(
  store,
  conversationId,
  [createTranscriptDelivery(conversationId)],
  new Uint8Array(),
)
if (manner === 'delivers') {
  startDeliverer({ store, now: Date.now, onError: console.error, pace: { holdMs: 200 } })
}
process.stdout.write('finished\n')
setInterval(() => {}, 60_000)
