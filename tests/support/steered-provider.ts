import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export interface SteeredProvider {
  /** What a home's `config.toml` says, so that this model answers in every session. */
  readonly config: string
  /** Lets answers that were asked to be slow go on to their end. */
  release(): void
  close(): Promise<void>
}

/** A model provider on this machine that does what it is asked to, as slowly as a test wants: OpenAI's protocol. */
export async function startSteeredProvider(): Promise<SteeredProvider> {
  let gate = Promise.withResolvers<void>()
  const server = createServer((request, response) => void answer(request, response, () => gate.promise))
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

interface Asked {
  readonly messages: readonly { readonly role: string; readonly content?: unknown }[]
}

async function answer(request: IncomingMessage, response: ServerResponse, released: () => Promise<void>) {
  const { messages } = JSON.parse(await text(request)) as Asked
  const last = messages.at(-1)
  const asked = wordsOf(messages.findLast(({ role }) => role === 'user')?.content)
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const tell = (delta: object, finish: string | null = null) =>
    response.write(
      `data: ${JSON.stringify({ ...CHUNK, choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`,
    )
  if (last?.role !== 'tool' && asked.startsWith('Write ')) {
    tell({ tool_calls: [{ index: 0, id: `call_${Date.now()}`, type: 'function', function: writing(asked) }] })
    tell({}, 'tool_calls')
  } else {
    const words = last?.role === 'tool' ? ['It ', 'is ', 'done.'] : `You said: ${asked}`.split(/(?<= )/)
    const half = asked.includes('slowly') ? Math.ceil(words.length / 2) : words.length
    for (const word of words.slice(0, half)) tell({ content: word })
    if (half < words.length) await released()
    for (const word of words.slice(half)) tell({ content: word })
    tell({}, 'stop')
  }
  const usage = { prompt_tokens: 120, completion_tokens: 40, total_tokens: 160 }
  response.end(`data: ${JSON.stringify({ ...CHUNK, choices: [], usage })}\n\ndata: [DONE]\n\n`)
}

const CHUNK = { id: 'chunk', object: 'chat.completion.chunk', created: 0, model: 'echo' }

/** “Write notes.md: some words” */
function writing(asked: string) {
  const [, path = 'notes.md', content = ''] = /^Write (\S+?):? (.*)$/s.exec(asked) ?? []
  return { name: 'write_file', arguments: JSON.stringify({ path, content: `${content}\n` }) }
}

const wordsOf = (content: unknown): string =>
  Array.isArray(content)
    ? content.map((part: { readonly text?: string }) => part.text ?? '').join('')
    : typeof content === 'string'
      ? content
      : ''
