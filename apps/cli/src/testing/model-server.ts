import { writeFile } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'

export type ModelReply = (response: ServerResponse) => void

/** A local OpenAI-compatible server with scripted replies; the last one repeats. */
export async function startModelServer(...replies: readonly ModelReply[]) {
  const asked: unknown[] = []
  const left = [...replies]
  const server = createServer((request, response) => {
    if (request.method === 'GET') {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ object: 'list', data: [{ id: 'large' }, { id: 'small' }] }))
      return
    }
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      asked.push(JSON.parse(Buffer.concat(chunks).toString()))
      const reply = left.length > 1 ? left.shift() : left[0]
      reply?.(response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/v1`,
    /** The bodies of the requests, in order. */
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** An answer, one word per chunk, with its usage. */
export const answerWith =
  (text: string, usage = { prompt_tokens: 1_000, completion_tokens: 50 }): ModelReply =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const word of text.match(/\S+\s*/g) ?? [])
      response.write(toChunk({ choices: [toChoice({ content: word })] }))
    response.write(toChunk({ choices: [{ ...toChoice({}), finish_reason: 'stop' }] }))
    const total_tokens = usage.prompt_tokens + usage.completion_tokens
    response.end(`${toChunk({ choices: [], usage: { ...usage, total_tokens } })}data: [DONE]\n\n`)
  }

let called = 0

/** Calls a tool, once per input. */
export const callTool =
  (name: string, ...inputs: readonly unknown[]): ModelReply =>
  (response) => {
    const tool_calls = inputs.map((input, index) => {
      called += 1
      const made = { name, arguments: JSON.stringify(input) }
      return { index, id: `call_${called}`, type: 'function', function: made }
    })
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(toChunk({ choices: [toChoice({ tool_calls })] }))
    response.write(toChunk({ choices: [{ ...toChoice({}), finish_reason: 'tool_calls' }] }))
    const usage = { prompt_tokens: 1_000, completion_tokens: 50, total_tokens: 1_050 }
    response.end(`${toChunk({ choices: [], usage })}data: [DONE]\n\n`)
  }

/** A few words, then a lost connection. */
export const breakOff =
  (text: string): ModelReply =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(toChunk({ choices: [toChoice({ content: text })] }), () => response.destroy())
  }

export const failWith =
  (status: number, message: string): ModelReply =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ error: { message } }))
  }

const toChoice = (delta: object) => ({
  index: 0,
  delta: { role: 'assistant', ...delta },
  finish_reason: null,
})

const toChunk = (part: object): string =>
  `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1_760_000_000, model: 'large', ...part })}\n\n`

/** A config file with these servers as providers; the first is the default. */
export async function configure(
  home: string,
  servers: Readonly<Record<string, { readonly url: string }>>,
  chat = '',
): Promise<void> {
  const [first] = Object.keys(servers)
  const providers = Object.entries(servers).map(
    ([name, { url }]) =>
      `[providers.${name}]\nkind = "openai-compatible"\nbase_url = "${url}"\n` +
      `[providers.${name}.models.large]\ncontext_window = 10000\nprice = { input = 300000000, output = 1500000001 }\n`,
  )
  await writeFile(
    join(home, 'config.toml'),
    `[chat]\ndefault_model = "${first}/large"\n${chat}\n${providers.join('')}`,
  )
}
