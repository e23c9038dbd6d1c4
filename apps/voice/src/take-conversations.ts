import type { Server } from 'node:http'
import type { WebSocket } from 'ws'
import { admit, type Admission, type Knock } from './admit.ts'
import type { ConversationHost } from './conversation/conversation-host.ts'
import { conversationSockets } from './conversation/conversation-sockets.ts'
import { serveConversation } from './conversation/serve-conversation.ts'
import type { AgentDocument } from './agents/agent-document.ts'
import { isKnownHost } from './rest/known-host.ts'
import type { RestServices } from './rest/rest-env.ts'
import { type CallLimits, whyFull } from './why-full.ts'

/** What a client is told of when its call is not taken. */
const GOING_AWAY = 1001
const POLICY_VIOLATION = 1008
const INTERNAL = 1011
const PATH = '/v1/convai/conversation'

type Decision = Admission | { readonly kind: 'failed' }

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
  const running = new Map<Promise<void>, AgentDocument>()
  const isFullFor = (agent: AgentDocument) => whyFull(agent, [...running.values()], limits)

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
      const conversation = serveConversation(socket, { ...admission, host, signal: stopping.signal })
        .catch((err: unknown) => host.onError(err))
        .finally(() => running.delete(conversation))
      running.set(conversation, admission.agent)
    }
  }

  server.on('upgrade', (request, stream, head) => {
    // A client that leaves while we look it up is none to tell.
    stream.on('error', () => stream.destroy())
    const url = URL.parse(request.url ?? '', 'http://localhost')
    if (url?.pathname !== PATH) stream.end('HTTP/1.1 404 Not Found\r\n\r\n')
    else if (!isKnownHost(request.headers.host, services.hosts)) stream.end('HTTP/1.1 403 Forbidden\r\n\r\n')
    else {
      void decide({ query: url.searchParams, headers: request.headers }).then((admission) =>
        sockets.handleUpgrade(request, stream, head, (socket) => begin(socket, admission)),
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
      await Promise.all(running.keys())
      for (const socket of sockets.clients) socket.terminate()
      sockets.close()
    },
  }
}
