import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders, Server } from 'node:http'
import { type RawData, type WebSocket, WebSocketServer } from 'ws'
import { z } from 'zod'
import type { ProviderStore } from '@parley/postgres'
import type { AgentDocument } from './agents/agent-document.ts'
import type { Agents } from './agents/agents.ts'
import type { ConversationOpening } from './conversation/call.ts'
import { textOf } from './conversation/connection.ts'
import type { ConversationHost } from './conversation/conversation-record.ts'
import { serveConversation } from './conversation/serve-conversation.ts'
import { newId } from './documents.ts'
import { isKnownHost } from './rest/edge.ts'
import type { RestServices } from './rest/rest-env.ts'

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

/** Larger frames close the socket before they are read: a second of sound is a tenth of this. */
const MOST_FRAME_BYTES = 1_000_000

/** Upgrades HTTP requests to conversations. A browser wants its subprotocol back; other clients offer none. */
export const conversationSockets = (): WebSocketServer =>
  new WebSocketServer({
    noServer: true,
    maxPayload: MOST_FRAME_BYTES,
    perMessageDeflate: false,
    handleProtocols: (offered) => (offered.has('convai') ? 'convai' : false),
  })

interface CallLimits {
  /** Spoken ones keep a processor busy. */
  readonly spoken: number
  readonly typed: number
}

/** Why a further call to an agent is not taken, besides those that run; undefined where it is. */
function whyFull(
  agent: AgentDocument,
  running: readonly AgentDocument[],
  limits: CallLimits,
): string | undefined {
  const { agent_concurrency_limit: most, bursting_enabled } = agent.platform_settings.call_limits
  const ofAgent = running.filter(({ agentId }) => agentId === agent.agentId).length
  // An agent that may burst takes three times its limit.
  if (most >= 0 && ofAgent >= (bursting_enabled ? most * 3 : most))
    return 'The agent has as many conversations as it may have.'
  const kind = kindOf(agent)
  const limit = limits[kind]
  const ofKind = running.filter((other) => kindOf(other) === kind).length
  if (ofKind >= limit) return `The provider has ${limit} ${kind} calls, which is as many as it takes at once.`
  return undefined
}

/** One that its client may make a spoken one counts as such. */
const kindOf = ({ conversation_config, platform_settings }: AgentDocument): keyof CallLimits => {
  const mayChange = platform_settings.overrides.conversation_config_override.conversation.text_only
  return conversation_config.conversation.text_only && !mayChange ? 'typed' : 'spoken'
}

type Admission =
  | ({ readonly kind: 'admitted' } & Omit<ConversationOpening, 'host' | 'signal' | 'hangUp'>)
  | { readonly kind: 'refused'; readonly reason: string }

interface Knock {
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
}

interface AdmitHost {
  readonly agents: Agents
  readonly store: Pick<ProviderStore, 'signedUrls'>
  readonly apiKey: string
  /** Names besides localhost by which the server may be called. */
  readonly hosts: readonly string[]
  /** Why no further conversation is taken, where that is so. */
  readonly whyFull: (agent: AgentDocument) => string | undefined
}

/** Whether somebody may talk with an agent. Reasons are what the client is told when its socket is closed. */
async function admit({ query, headers }: Knock, host: AdmitHost): Promise<Admission> {
  const agentId = query.get('agent_id')
  if (!agentId) return refused('The query has no agent_id.')
  const agent = agentId.includes('\0') ? undefined : await host.agents.find(agentId)
  if (!agent) return refused('The AI agent you are trying to reach does not exist.')
  if (!isFromAllowedPlace(agent, headers.origin))
    return refused('This origin is not on the allowlist of the agent.')
  const reason = host.whyFull(agent)
  if (reason !== undefined) return refused(reason)

  const signature = query.get('conversation_signature') ?? bearerOf(headers)
  if (signature !== undefined) {
    const signed = await host.store.signedUrls.use(signature)
    if (signed?.agentId !== agentId)
      return refused('The signed URL is not known, was used already, or is older than 15 minutes.')
    const meant = await host.agents.find(agentId, placeIn(signed.body))
    if (!meant) return refused('The version or branch of the agent that was signed for does not exist.')
    return {
      kind: 'admitted',
      agent: meant,
      conversationId: signed.conversationId ?? newId('conv'),
      authorization: 'signed_url',
      environment: textAt(signed.body, 'environment') ?? query.get('environment') ?? undefined,
    }
  }
  const hasKey = isKey(headers['xi-api-key'], host.apiKey)
  if (agent.platform_settings.auth.enable_auth && !hasKey) {
    return refused('This agent asks for a signed URL: get one from /v1/convai/conversation/get-signed-url.')
  }
  if (!hasKey && !isOwnPage(agent, headers.origin, host.hosts))
    return refused('Pages of other hosts need a signed URL, or their host on the allowlist of the agent.')
  return {
    kind: 'admitted',
    agent,
    conversationId: newId('conv'),
    authorization: hasKey ? 'authorization_header' : 'public',
    environment: query.get('environment') ?? undefined,
  }
}

const refused = (reason: string): Admission => ({ kind: 'refused', reason })

function isFromAllowedPlace({ platform_settings }: AgentDocument, origin: string | undefined): boolean {
  const { allowlist, require_origin_header } = platform_settings.auth
  if (allowlist.length === 0) return true
  if (origin === undefined) return !require_origin_header
  const host = URL.canParse(origin) ? new URL(origin).host : origin
  return allowlist.some(({ hostname }) => hostname === host)
}

/** Any page that a person visits can call this machine: without a list, only those that come from it may. */
function isOwnPage(
  { platform_settings }: AgentDocument,
  origin: string | undefined,
  hosts: readonly string[],
): boolean {
  if (origin === undefined || platform_settings.auth.allowlist.length > 0) return true
  return isKnownHost(URL.parse(origin)?.host ?? origin, hosts)
}

/** A browser cannot send headers with a socket, so its token comes as a subprotocol. */
function bearerOf({ 'sec-websocket-protocol': offered = '' }: IncomingHttpHeaders): string | undefined {
  const bearer = offered.split(',').find((protocol) => protocol.trim().startsWith('bearer.'))
  return bearer?.trim().slice('bearer.'.length)
}

const isKey = (given: string | readonly string[] | undefined, apiKey: string): boolean =>
  typeof given === 'string' && timingSafeEqual(hashOf(given), hashOf(apiKey))

const hashOf = (text: string) => createHash('sha256').update(text).digest()

const textAt = (body: Readonly<Record<string, unknown>>, name: string): string | undefined => {
  const value = body[name]
  return typeof value === 'string' ? value : undefined
}

const placeIn = (body: Readonly<Record<string, unknown>>) => ({
  versionId: textAt(body, 'version_id'),
  branchId: textAt(body, 'branch_id'),
})
