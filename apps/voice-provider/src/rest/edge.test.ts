import { once } from 'node:events'
import { request } from 'node:http'
import type { Socket } from 'node:net'
import { openProvider } from '@parley/postgres'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { API_KEY, startTestVoice } from '../testing/test-voice.ts'
import { createVendorClient } from '../testing/vendor-client.ts'

const HEADERS = { 'xi-api-key': API_KEY, 'content-type': 'application/json' }

test('[X2] invalid bodies are rejected without side effects', async () => {
  const { url } = await startTestVoice()
  const post = async (body: string) => {
    const response = await fetch(`${url}/v1/convai/agents/create`, { method: 'POST', headers: HEADERS, body })
    return [response.status, await response.json()] as const
  }
  expect(await post('{')).toMatchObject([422, { detail: [{ type: 'json_invalid', loc: ['body'] }] }])
  expect(await post('')).toMatchObject([
    422,
    { detail: [{ type: 'invalid_type', loc: ['body', 'conversation_config'] }] },
  ])
  expect(await post('[]')).toMatchObject([422, { detail: [{ loc: ['body'] }] }])
  expect(await post('{"conversation_config":{},"name":"a\\u0000"}')).toMatchObject([422, {}])
  expect(await post(`{"conversation_config":${'{"a":'.repeat(100)}1${'}'.repeat(100)}}`)).toMatchObject([
    422,
    {},
  ])
  expect(await post(JSON.stringify({ name: 'x'.repeat(11_000_000) }))).toMatchObject([
    413,
    { detail: { status: 'payload_too_large' } },
  ])
  expect(await post('{"conversation_config":{}}')).toMatchObject([200, {}])
})

test('[X2] requests with a foreign host name are rejected', async () => {
  const { url } = await startTestVoice()
  const requestWithHost = (host: string) =>
    new Promise((resolve, reject) => {
      request(`${url}/v1/user`, { headers: { ...HEADERS, host } }, (response) => {
        response.resume()
        resolve(response.statusCode)
      })
        .on('error', reject)
        .end()
    })
  expect(await requestWithHost('rebound.example')).toBe(403)
  expect(await requestWithHost('localhost:1')).toBe(200)
})

test('[X2] unsupported routes return an explanation', async () => {
  const { url } = await startTestVoice()
  const response = await fetch(`${url}/v1/convai/phone-numbers`, { headers: HEADERS })
  expect(response.status).toBe(404)
  expect(await response.json()).toMatchObject({
    detail: { message: expect.stringContaining('not supported') },
  })
})

test.each([
  ['RIFF', 'audio/wav'],
  ['ID3\u0004', 'audio/mpeg'],
])('[X2] audio that begins with %s is %s', async (beginning, type) => {
  const voice = await startTestVoice()
  const store = await openProvider(voice)
  const state = { id: 'conv_1', agentId: 'agent_1', status: 'done', body: {} } as const
  await store.conversations.open(state)
  await store.conversations.finish(state, { audio: Buffer.from(`${beginning}sound`) })
  await store.close()
  const response = await fetch(`${voice.url}/v1/convai/conversations/conv_1/audio`, { headers: HEADERS })
  expect(response.headers.get('content-type')).toBe(type)
  const stream = await createVendorClient(voice).conversationalAi.conversations.audio.get('conv_1')
  expect(await new Response(stream).text()).toBe(`${beginning}sound`)
})

async function startWithConversation(status: 'in-progress' | 'done' = 'in-progress', enabled = true) {
  const voice = await startTestVoice()
  const { agentId } = await createVendorClient(voice).conversationalAi.agents.create({
    conversationConfig: { conversation: { fileInput: { enabled } } },
  })
  const store = await openProvider(voice)
  await store.conversations.open({ id: 'conv_1', agentId, status, body: {} })
  onTestFinished(() => store.close())
  const send = async (bytes: string | Uint8Array<ArrayBuffer>) => {
    const form = new FormData()
    form.append('file', new Blob([bytes], { type: 'text/plain' }), 'map.txt')
    const response = await fetch(`${voice.url}/v1/convai/conversations/conv_1/files`, {
      method: 'POST',
      body: form,
    })
    const answer = (await response.json()) as { file_id?: string; detail?: { status: string } }
    return answer.file_id ?? answer.detail?.status ?? ''
  }
  return { voice, store, send }
}

test('[X2] a file is added to and removed from a conversation without a key', async () => {
  const { voice, store, send } = await startWithConversation()
  const fileId = await send('A map')
  expect(await store.documents.get('file', fileId)).toMatchObject({
    parentId: 'conv_1',
    body: { name: 'map.txt', content: Buffer.from('A map').toString('base64') },
  })
  await createVendorClient(voice).conversationalAi.conversations.delete('conv_1')
  expect(await store.documents.get('file', fileId)).toBeUndefined()
})

test.each([
  ['a conversation that has ended', 'done', true, 'conversation_not_running'],
  ['an agent that accepts none', 'in-progress', false, 'file_input_disabled'],
] as const)('[X2] no file goes to %s', async (_, status, isEnabled, reason) => {
  const { send } = await startWithConversation(status, isEnabled)
  expect(await send('A map')).toBe(reason)
})

test('[X2] a conversation has at most ten files, even if they are uploaded in parallel', async () => {
  const { send } = await startWithConversation()
  const answers = await Promise.all(Array.from({ length: 12 }, () => send('A map')))
  expect(answers.filter((answer) => answer === 'too_many_files')).toHaveLength(2)
})

test('[X2] the files of a conversation have at most twenty megabytes together', async () => {
  const { send } = await startWithConversation()
  const large = new Uint8Array(9 * 1024 * 1024)
  const answers = [await send(large), await send(large), await send(large), await send('A map')]
  expect(answers.map((answer) => answer.replace(/^file_.*/, 'kept'))).toEqual([
    'kept',
    'kept',
    'too_many_files',
    'kept',
  ])
})

test('[X2] an id with U+0000 is not found, and a query with one is invalid', async () => {
  const { url } = await startTestVoice()
  const getStatus = async (path: string) =>
    (await fetch(`${url}/v1/convai${path}`, { headers: HEADERS })).status
  expect(await getStatus('/agents/agent_%00')).toBe(404)
  expect(await getStatus('/agents/%00/widget')).toBe(404)
  expect(await getStatus('/conversations/conv_%00x')).toBe(404)
  expect(await getStatus('/agents?search=%00')).toBe(422)
  expect(await getStatus('/conversations?user_id=a%00')).toBe(422)
  expect(await getStatus('/agents?cursor=made-up')).toBe(400)
})

/** A request that announces a body and never sends it. */
function openUnfinished(url: string, path: string, headers: object) {
  const sending = request(`${url}${path}`, { method: 'POST', headers: { ...headers, 'content-length': 9 } })
  sending.on('error', () => undefined)
  sending.flushHeaders()
  onTestFinished(() => void sending.destroy())
  return sending
}

test('[X2] callers without a key do not use up the limit of those with one', async () => {
  const { voice } = await startWithConversation()
  const path = '/v1/convai/conversations/conv_1/feedback'
  for (let place = 0; place < 20; place += 1) openUnfinished(voice.url, path, {})
  const rateConversation = async () => {
    // A rating may take the last slot when the others arrive, so each one sends a second request.
    const response = await fetch(`${voice.url}${path}`, { method: 'POST', body: '{}' })
    openUnfinished(voice.url, path, {})
    return response.status
  }
  await expect.poll(rateConversation).toBe(429)
  const list = await fetch(`${voice.url}/v1/convai/agents`, { headers: HEADERS })
  expect(list.status).toBe(200)
  expect(list.headers.get('maximum-concurrent-requests')).toBe('64')
})

test('[X2] an aborted request is not logged as an error', async () => {
  const lines: { readonly level: number; readonly msg: string }[] = []
  const logger = pino({ level: 'debug' }, { write: (line) => void lines.push(JSON.parse(line)) })
  const { url } = await startTestVoice({ logger })
  const sending = openUnfinished(url, '/v1/convai/agents/create', HEADERS)
  const [socket] = (await once(sending, 'socket')) as [Socket]
  if (socket.connecting) await once(socket, 'connect')
  await fetch(`${url}/v1/user`, { headers: HEADERS })
  sending.destroy()
  await expect.poll(() => lines.find(({ msg }) => msg === 'call dropped')?.level).toBe(20)
  expect(lines.filter(({ level }) => level >= 50)).toEqual([])
})
