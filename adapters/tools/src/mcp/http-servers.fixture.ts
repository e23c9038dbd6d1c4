import { spawn } from 'node:child_process'
import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { startWebServer, type WebReply } from '../testing/web-server.ts'
import type { McpServerPolicy } from '../tool-policy.ts'

interface Question {
  readonly id?: number
  readonly method: string
  readonly params?: { readonly arguments?: object }
}

const RESULTS: Readonly<Record<string, (question: Question) => object>> = {
  initialize: () => ({
    protocolVersion: '2025-06-18',
    capabilities: { tools: {} },
    serverInfo: { name: 'web', version: '1' },
  }),
  'tools/list': () => ({ tools: [{ name: 'echo', inputSchema: { type: 'object' } }] }),
  'tools/call': ({ params }) => ({ content: [{ type: 'text', text: JSON.stringify(params?.arguments) }] }),
}

/** Responds as an MCP server with one tool; `atCall` replaces its response to a call. */
export function reply(response: ServerResponse, method: string, body: string, atCall?: () => void): void {
  if (method !== 'POST') return void response.writeHead(405).end()
  const question = JSON.parse(body) as Question
  if (question.id === undefined) return void response.writeHead(202).end()
  if (atCall && question.method === 'tools/call') return atCall()
  const result = RESULTS[question.method]?.(question)
  response.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': 'made-up-session' })
  response.end(JSON.stringify({ jsonrpc: '2.0', id: question.id, result }))
}

export async function onLoopback(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
}

export const withCall = (atCall: (response: ServerResponse) => void): Promise<string> =>
  onLoopback((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      reply(response, request.method ?? '', Buffer.concat(chunks).toString(), () => atCall(response))
    })
  })

export async function onTheWeb(given: Partial<McpServerPolicy> = {}, answer?: WebReply) {
  const web = await startWebServer()
  onTestFinished(() => web.close())
  web.answer(answer ?? ((response, { method, body }) => reply(response, method, body)))
  const { detour, resolver } = web
  const servers = { web: { url: 'https://mcp.test/api', isOwn: false, ...given } }
  return { web, servers, dial: { detour, resolver } }
}

export async function unusedAddress(): Promise<string> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return `http://127.0.0.1:${port}/mcp`
}

/** The server listens on all addresses; this limits it to loopback and prints the port. */
const HELD = `import net from 'node:net'
const { listen } = net.Server.prototype
net.Server.prototype.listen = function (port, callback) {
  return listen.call(this, { port, host: '127.0.0.1' }, () => {
    console.log('at ' + this.address().port)
    callback?.()
  })
}`

export async function startEverything(): Promise<string> {
  const manifest = createRequire(import.meta.url).resolve(
    '@modelcontextprotocol/server-everything/package.json',
  )
  const file = join(dirname(manifest), 'dist/index.js')
  const preload = `data:text/javascript,${encodeURIComponent(HELD)}`
  const child = spawn(process.execPath, ['--import', preload, file, 'streamableHttp'], {
    env: { PORT: '0' },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const port = await new Promise<string>((resolve) => {
    child.stdout.on('data', (chunk: Buffer) => {
      const found = /at (\d+)/.exec(chunk.toString())?.[1]
      if (found !== undefined) resolve(found)
    })
  })
  return `http://127.0.0.1:${port}/mcp`
}
