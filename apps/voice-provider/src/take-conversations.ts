import type { Server } from 'node:http'
import type { RawData, WebSocket } from 'ws'
import { z } from 'zod'
import { admit, type Admission, isKey, type Knock } from './admit.ts'
import type { ConversationHost } from './conversation/conversation-host.ts'
import { textOf } from './conversation/connection.ts'
import { conversationSockets } from './conversation/conversation-sockets.ts'
import { serveConversation } from './conversation/serve-conversation.ts'
import type { AgentDocument } from './agents/agent-document.ts'
import { isKnownHost } from './rest/known-host.ts'
import type { RestServices } from './rest/rest-env.ts'
import { type CallLimits, whyFull } from './why-full.ts'

const NORMAL = 1000
/** What a client is told of when its call is not taken. */
const GOING_AWAY = 1001
const POLICY_VIOLATION = 1008
const INTERNAL = 1011
const PATH = '/v1/convai/conversation'
const MONITOR = /^\/v1\/convai\/conversations\/([\w-]+)\/monitor$/

type Decision = Admission | { readonly kind: 'failed' }

interface RunningCall {
  readonly agent: AgentDocument
  readonly over: Promise<void>
  readonly hangUp: AbortController
}

export interface RunningConversations {
  /** Ends all of them as a stopping server does, and waits until they are kept. */
  stop(): Promise<void>
}

/** Takes calls on a server's sockets. */
export function takeConversations(
  server: Server,
  services: Pick<RestServices, 'agents' | 'store' | 'apiKey' | 'hosts' | 'logger'>,
  host: ConversationHost,
  limits: CallLimits,
): RunningConversations {
  const sockets = conversationSockets()
  const stopping = new AbortController()
  const running = new Map<string, RunningCall>()
  const isFullFor = (agent: AgentDocument) =>
    whyFull(
      agent,
      [...running.values()].map((call) => call.agent),
      limits,
    )

  const begin = (socket: WebSocket, admission: Decision) => {
    // What is wrong with a socket is followed by its close.
    socket.on('error', () => {})
    if (stopping.signal.aborted) socket.close(GOING_AWAY, 'The provider stops.')
    else if (admission.kind === 'failed') socket.close(INTERNAL, 'The provider cannot look the agent up.')
    else if (admission.kind === 'refused') socket.close(POLICY_VIOLATION, admission.reason)
    else {
      // Others may have come in while this one was looked up.
      const reason = isFullFor(admission.agent)
      if (reason !== undefined) return socket.close(POLICY_VIOLATION, reason)
      const { agent, conversationId } = admission
      const hangUp = new AbortController()
      const opening = { ...admission, host, signal: stopping.signal, hangUp: hangUp.signal }
      const over = serveConversation(socket, opening)
        .catch((err: unknown) => host.onError(err))
        .finally(() => running.delete(conversationId))
      running.set(conversationId, { agent, over, hangUp })
    }
  }

  /** Takes the commands of whoever has the key; of those that the vendor has, ending the call. */
  const monitor = (socket: WebSocket, { hangUp, over }: RunningCall) => {
    socket.on('error', () => {})
    socket.on('message', (data) => {
      if (isEndCall(data)) hangUp.abort()
      else socket.send(JSON.stringify({ type: 'error', message: 'The only command here is end_call.' }))
    })
    void over.then(() => socket.close(NORMAL, 'The call is over.'))
  }

  server.on('upgrade', (request, stream, head) => {
    // A client that leaves while we look it up is none to tell.
    stream.on('error', () => stream.destroy())
    const url = URL.parse(request.url ?? '', 'http://localhost')
    const [, monitored] = MONITOR.exec(url?.pathname ?? '') ?? []
    const refuse = (status: string) => stream.end(`HTTP/1.1 ${status}\r\n\r\n`)
    if (url?.pathname !== PATH && monitored === undefined) refuse('404 Not Found')
    else if (!isKnownHost(request.headers.host, services.hosts)) refuse('403 Forbidden')
    else if (monitored !== undefined) {
      const call = running.get(monitored)
      if (!isKey(request.headers['xi-api-key'], services.apiKey)) refuse('401 Unauthorized')
      else if (!call?.agent.conversation_config.conversation.monitoring_enabled) refuse('404 Not Found')
      else sockets.handleUpgrade(request, stream, head, (socket) => monitor(socket, call))
    } else {
      void decide({ query: url?.searchParams ?? new URLSearchParams(), headers: request.headers }).then(
        (admission) => sockets.handleUpgrade(request, stream, head, (socket) => begin(socket, admission)),
      )
    }
  })

  const decide = (knock: Knock): Promise<Decision> =>
    admit(knock, { ...services, whyFull: isFullFor }).catch((err: unknown) => {
      services.logger.error({ err }, 'a call could not be taken')
      return { kind: 'failed' }
    })

  return {
    async stop() {
      stopping.abort()
      await Promise.all([...running.values()].map(({ over }) => over))
      for (const socket of sockets.clients) socket.terminate()
      sockets.close()
    },
  }
}

function isEndCall(data: RawData): boolean {
  try {
    return EndCall.safeParse(JSON.parse(textOf(data))).success
  } catch {
    return false
  }
}

const EndCall = z.looseObject({ command_type: z.literal('end_call') })
