import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export interface SteeredProvider {
  /** Content of `config.toml` that makes this model the default. */
  readonly config: string
  /** Completes the answers that wait halfway. */
  release(): void
  close(): Promise<void>
}

/** Starts a model provider with OpenAI's protocol. It repeats messages, writes files, and pauses slow answers halfway. */
export async function startSteeredProvider(): Promise<SteeredProvider> {
  let gate = Promise.withResolvers<void>()
  const server = createServer(
    (request, response) => void answerRequest(request, response, () => gate.promise),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    config: [
      '[chat]',
      'default_model = "steered/echo"',
      'max_turns = 1000',
      '[providers.steered]',
      'kind = "openai-compatible"',
      `base_url = "http://127.0.0.1:${port}/v1"`,
      '[providers.steered.models.echo]',
      'context_window = 100000',
      'price = { input = 100000000, output = 400000000 }',
      '',
    ].join('\n'),
    release() {
      gate.resolve()
      gate = Promise.withResolvers()
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

interface ChatRequest {
  readonly messages: readonly { readonly role: string; readonly content?: unknown }[]
}

async function answerRequest(
  request: IncomingMessage,
  response: ServerResponse,
  released: () => Promise<void>,
) {
  const { messages } = JSON.parse(await text(request)) as ChatRequest
  const last = messages.at(-1)
  const asked = getText(messages.findLast(({ role }) => role === 'user')?.content)
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const sendChunk = (delta: object, finish: string | null = null) =>
    response.write(
      `data: ${JSON.stringify({ ...CHUNK, choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`,
    )
  if (last?.role !== 'tool' && asked.startsWith('Write ')) {
    sendChunk({
      tool_calls: [
        { index: 0, id: `call_${Date.now()}`, type: 'function', function: createWriteCall(asked) },
      ],
    })
    sendChunk({}, 'tool_calls')
  } else {
    const words = last?.role === 'tool' ? ['It ', 'is ', 'done.'] : `You said: ${asked}`.split(/(?<= )/)
    const half = asked.includes('slowly') ? Math.ceil(words.length / 2) : words.length
    for (const word of words.slice(0, half)) sendChunk({ content: word })
    if (half < words.length) await released()
    for (const word of words.slice(half)) sendChunk({ content: word })
    sendChunk({}, 'stop')
  }
  const usage = { prompt_tokens: 120, completion_tokens: 40, total_tokens: 160 }
  response.end(`data: ${JSON.stringify({ ...CHUNK, choices: [], usage })}\n\ndata: [DONE]\n\n`)
}

const CHUNK = { id: 'chunk', object: 'chat.completion.chunk', created: 0, model: 'echo' }

/** Parses “Write notes.md: some words”. */
function createWriteCall(asked: string) {
  const [, path = 'notes.md', content = ''] = /^Write (\S+?):? (.*)$/s.exec(asked) ?? []
  return { name: 'write_file', arguments: JSON.stringify({ path, content: `${content}\n` }) }
}

const getText = (content: unknown): string =>
  Array.isArray(content)
    ? content.map((part: { readonly text?: string }) => part.text ?? '').join('')
    : typeof content === 'string'
      ? content
      : ''
