import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { holdCall } from '../support/hold-call.ts'
import { startSyncServer } from './sync-server.ts'

const requests: { readonly url: string; readonly secret: unknown; readonly body: unknown }[] = []
const receiver = createServer((request, response) => void answer(request, response))

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await json(request)
  requests.push({ url: request.url ?? '', secret: request.headers['x-tool-secret'], body })
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify({ evidence: [{ text: 'I live in Oslo.' }] }))
}

let server: Awaited<ReturnType<typeof startSyncServer>>
beforeAll(async () => {
  receiver.listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  const address = receiver.address()
  const port = typeof address === 'object' ? address?.port : undefined
  server = await startSyncServer({ publicUrl: `http://127.0.0.1:${port}` })
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  receiver.close()
})

test('[V4] a search during a call sends the secret, the signature and the provider’s conversation id', async () => {
  const { signal } = new AbortController()
  const id = await server.reflection({ essays: 'I work as a gardener.' })
  const agent = await server.inProcess(0).ensureFresh(id, 'standard', signal)
  if (agent.kind !== 'fresh') throw new Error(JSON.stringify(agent))
  const credential = await server.provider.getSignedUrl(agent.agentId, signal)
  if (credential.kind !== 'signed_url') throw new Error(credential.reason)

  const variables = { conversation_id: 'ses_1', conversation_bind_sig: 'made-up-signature' }
  const frames = await holdCall(credential.signedUrl, variables, ['Where do you live?'])
  expect(frames).toContain('Oslo')
  expect(requests).toEqual([
    {
      url: '/v1/tools/retrieve-context',
      secret: 'made-up-tool-secret',
      body: {
        query: expect.stringContaining('Where do you live?'),
        conversation_id: 'ses_1',
        conversation_bind_sig: 'made-up-signature',
        provider_conversation_id: credential.providerConversationId,
      },
    },
  ])
})
