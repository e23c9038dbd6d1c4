import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { syncServer } from './sync-server.ts'

const called: { readonly url: string; readonly secret: unknown; readonly body: unknown }[] = []
const receiver = createServer((request, response) => void answer(request, response))

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await json(request)
  called.push({ url: request.url ?? '', secret: request.headers['x-tool-secret'], body })
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify({ evidence: [{ text: 'I live in Oslo.' }] }))
}

let server: Awaited<ReturnType<typeof syncServer>>
beforeAll(async () => {
  receiver.listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  const address = receiver.address()
  const port = typeof address === 'object' ? address?.port : undefined
  server = await syncServer({ publicUrl: `http://127.0.0.1:${port}` })
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  receiver.close()
})

test('[V4] in a call the look-up bears the secret, the signature and the provider’s own id', async () => {
  const { signal } = new AbortController()
  const id = await server.reflection({ essays: 'I work as a gardener.' })
  const agent = await server.inProcess(0).ensureFresh(id, 'standard', signal)
  if (agent.kind !== 'fresh') throw new Error(JSON.stringify(agent))
  const credential = await server.provider.getSignedUrl(agent.agentId, signal)
  if (credential.kind !== 'signed_url') throw new Error(credential.reason)

  const said = await converse(credential.signedUrl, 'Where do you live?', {
    conversation_id: 'ses_1',
    conversation_bind_sig: 'made-up-signature',
  })
  expect(said).toContain('Oslo')
  expect(called).toEqual([
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

/** What the agent answers to one question. */
async function converse(url: string, say: string, variables: object): Promise<string> {
  const socket = new WebSocket(url, 'convai')
  const answers: string[] = []
  let isGreeted = false
  socket.addEventListener('message', ({ data }) => {
    const frame = JSON.parse(String(data)) as {
      readonly type: string
      readonly agent_response_event?: { readonly agent_response: string }
    }
    if (frame.type === 'audio' && !isGreeted) {
      isGreeted = true
      socket.send(JSON.stringify({ type: 'user_message', text: say }))
    } else if (frame.type === 'agent_response' && isGreeted) {
      answers.push(frame.agent_response_event?.agent_response ?? '')
      if (answers.at(-1)?.includes('Oslo')) socket.close(1000)
    }
  })
  await once(socket, 'open')
  socket.send(JSON.stringify({ type: 'conversation_initiation_client_data', dynamic_variables: variables }))
  await once(socket, 'close')
  return answers.join(' ')
}
