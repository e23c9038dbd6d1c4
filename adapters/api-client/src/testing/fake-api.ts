import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PlatformError } from '@parley/contracts'
import { testAgent } from '@parley/engine/testing'
import { createProcesses, type ProcessOptions } from './fake-processes.ts'
import { createRoutes, type RouteOptions } from './fake-routes.ts'

export interface FakeApi {
  readonly url: string
  readonly token: string
  /** Cuts all open event streams, like a network failure. */
  cutStreams(): void
  /** Kills the serving process mid-work; another replaces it. */
  killProcess(): void
  close(): Promise<void>
}

export interface FakeApiOptions extends RouteOptions, ProcessOptions {
  readonly port?: number
  readonly provider?: string
  /** Runs before every route; returns `true` if it handled the request. */
  readonly intercept?: (request: IncomingMessage, response: ServerResponse) => boolean
}

/** The API's routes over the real engine and an in-memory store. */
export async function startFakeApi(options: FakeApiOptions): Promise<FakeApi> {
  const token = 'token-of-the-fake-api'
  const processes = createProcesses(options)
  const agent = { ...testAgent, model: options.model.modelId, provider: options.provider ?? 'test' }
  const answer = createRoutes(processes, agent, options)
  const streams = new Set<ServerResponse>()
  const cutStreams = () => {
    for (const stream of streams) stream.destroy()
  }

  const server = createServer((request, response) => {
    if (options.intercept?.(request, response)) return
    const refuse = (failure: unknown) => {
      if (response.headersSent) response.destroy()
      else sendProblem(response, failure instanceof PlatformError ? failure : new PlatformError('internal'))
    }
    if (request.headers.authorization !== `Bearer ${token}`) {
      refuse(new PlatformError('unauthenticated', { message: 'Invalid or expired token.' }))
      return
    }
    if (request.url?.endsWith('/events')) {
      streams.add(response)
      response.on('close', () => streams.delete(response))
    }
    answer(request, response).catch(refuse)
  })
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo

  return {
    url: `http://127.0.0.1:${port}`,
    token,
    cutStreams,
    killProcess() {
      processes.kill()
      cutStreams()
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

const STATUS: Partial<Record<PlatformError['code'], number>> = {
  approval_not_pending: 409,
  not_found: 404,
  nothing_to_continue: 409,
  session_busy: 409,
  session_ended: 409,
  session_not_found: 404,
  unauthenticated: 401,
  validation: 400,
}

function sendProblem(response: ServerResponse, { code, message }: PlatformError) {
  const status = STATUS[code] ?? 500
  response.writeHead(status, { 'content-type': 'application/problem+json' })
  response.end(
    JSON.stringify({
      type: `urn:parley:problem:${code}`,
      title: code,
      status,
      code,
      detail: message,
      requestId: 'made-up',
    }),
  )
}
