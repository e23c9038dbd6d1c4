import type { IncomingHttpHeaders, Server } from 'node:http'
import { type RawData, type WebSocket, WebSocketServer } from 'ws'
import { z } from 'zod'
import type { ProviderStore } from '@parley/postgres'
import type { AgentDocument } from './agents/agent-document.ts'
import type { AgentStore } from './agents/agent-store.ts'
import type { AdmittedCall } from './conversation/call-state.ts'
import { readSocketText } from './conversation/client-connection.ts'
import type { ConversationHost } from './conversation/conversation-document.ts'
import { serveConversation } from './conversation/serve-conversation.ts'
import { createId } from './documents.ts'
import { parseJson } from './json.ts'
import { isKey, isKnownHost } from './rest/edge.ts'
import type { RestServices } from './rest/rest-env.ts'

const NORMAL = 1000
const GOING_AWAY = 1001
const POLICY_VIOLATION = 1008
const INTERNAL = 1011
const PATH = '/v1/convai/conversation'
const MONITOR = /^\/v1\/convai\/conversations\/([\w-]+)\/monitor$/

type AdmissionResult = Admission | { readonly kind: 'failed' }

interface RunningCall {
  readonly agent: AgentDocument
  readonly over: Promise<void>
  readonly hangUp: AbortController
}

export interface RunningConversations {
  /** Ends all calls and waits until they are stored. */
  stop(): Promise<void>
}

/** Accepts calls over WebSockets. */
export function acceptConversations(
  server: Server,
  services: Pick<RestServices, 'agents' | 'store' | 'apiKey' | 'hosts' | 'logger'>,
  host: ConversationHost,
  limits: ParallelCallLimits,
): RunningConversations {
  const sockets = createConversationSockets()
  const stopping = new AbortController()
  const running = new Map<string, RunningCall>()
  const findLimitReachedBy = (agent: AgentDocument) =>
    findReachedLimit(
      agent,
      [...running.values()].map((call) => call.agent),
      limits,
    )

  const beginCall = (socket: WebSocket, admission: AdmissionResult) => {
    // A close event follows every error.
    socket.on('error', () => {})
    if (stopping.signal.aborted) socket.close(GOING_AWAY, 'The provider is stopping.')
    else if (admission.kind === 'failed') socket.close(INTERNAL, 'The provider cannot read the agent.')
    else if (admission.kind === 'refused') socket.close(POLICY_VIOLATION, admission.reason)
    else {
      // Check again: other calls may have started during the lookup.
      const reason = findLimitReachedBy(admission.agent)
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

  /** Accepts commands from holders of the key. Only `end_call` is supported. */
  const serveMonitor = (socket: WebSocket, { hangUp, over }: RunningCall) => {
    socket.on('error', () => {})
    socket.on('message', (data) => {
      if (isEndCall(data)) hangUp.abort()
      else socket.send(JSON.stringify({ type: 'error', message: 'The only supported command is end_call.' }))
    })
    void over.then(() => socket.close(NORMAL, 'The call is over.'))
  }

  server.on('upgrade', (request, stream, head) => {
    // The client may disconnect during the lookup.
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
      else sockets.handleUpgrade(request, stream, head, (socket) => serveMonitor(socket, call))
    } else {
      void decideAdmission({
        query: url?.searchParams ?? new URLSearchParams(),
        headers: request.headers,
      }).then((admission) =>
        sockets.handleUpgrade(request, stream, head, (socket) => beginCall(socket, admission)),
      )
    }
  })

  const decideAdmission = (request: CallRequest): Promise<AdmissionResult> =>
    admitCall(request, { ...services, findReachedLimit: findLimitReachedBy }).catch((err: unknown) => {
      services.logger.error({ err }, 'a call could not be accepted')
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

const isEndCall = (data: RawData): boolean => EndCall.safeParse(parseJson(readSocketText(data))).success

const EndCall = z.looseObject({ command_type: z.literal('end_call') })

/** Larger frames close the socket. One second of sound is a tenth of this. */
const MAX_FRAME_BYTES = 1_000_000

/** Upgrades HTTP requests to conversations. Browsers require their subprotocol in the reply. */
export const createConversationSockets = (): WebSocketServer =>
  new WebSocketServer({
    noServer: true,
    maxPayload: MAX_FRAME_BYTES,
    perMessageDeflate: false,
    handleProtocols: (offered) => (offered.has('convai') ? 'convai' : false),
  })

interface ParallelCallLimits {
  /** Spoken calls need processor time. */
  readonly spoken: number
  readonly typed: number
}

/** Reason to refuse another call to an agent; undefined if it can start. */
function findReachedLimit(
  agent: AgentDocument,
  running: readonly AgentDocument[],
  limits: ParallelCallLimits,
): string | undefined {
  const { agent_concurrency_limit: most, bursting_enabled } = agent.platform_settings.call_limits
  const ofAgent = running.filter(({ agentId }) => agentId === agent.agentId).length
  // An agent that may burst takes three times its limit.
  if (most >= 0 && ofAgent >= (bursting_enabled ? most * 3 : most))
    return 'The agent has reached its limit of conversations.'
  const kind = getCallKind(agent)
  const limit = limits[kind]
  const ofKind = running.filter((other) => getCallKind(other) === kind).length
  if (ofKind >= limit) return `The provider has reached its limit of ${limit} ${kind} calls.`
  return undefined
}

/** A call counts as spoken if its client can switch it to speech. */
const getCallKind = ({ conversation_config, platform_settings }: AgentDocument): keyof ParallelCallLimits => {
  const mayChange = platform_settings.overrides.conversation_config_override.conversation.text_only
  return conversation_config.conversation.text_only && !mayChange ? 'typed' : 'spoken'
}

type Admission =
  | ({ readonly kind: 'admitted' } & Omit<AdmittedCall, 'host' | 'signal' | 'hangUp'>)
  | { readonly kind: 'refused'; readonly reason: string }

interface CallRequest {
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
}

interface AdmitHost {
  readonly agents: AgentStore
  readonly store: Pick<ProviderStore, 'signedUrls'>
  readonly apiKey: string
  /** Host names besides localhost that clients may use. */
  readonly hosts: readonly string[]
  /** Reason to refuse another conversation, if any. */
  readonly findReachedLimit: (agent: AgentDocument) => string | undefined
}

/** Decides whether a client may talk with an agent. The reason is sent when the socket closes. */
async function admitCall({ query, headers }: CallRequest, host: AdmitHost): Promise<Admission> {
  const agentId = query.get('agent_id')
  if (!agentId) return createToolCallRefusal('The query has no agent_id.')
  const agent = agentId.includes('\0') ? undefined : await host.agents.find(agentId)
  if (!agent) return createToolCallRefusal('The AI agent you are trying to reach does not exist.')
  if (!isAllowedOrigin(agent, headers.origin))
    return createToolCallRefusal('This origin is not on the allowlist of the agent.')
  const reason = host.findReachedLimit(agent)
  if (reason !== undefined) return createToolCallRefusal(reason)

  const signature = query.get('conversation_signature') ?? readBearerToken(headers)
  if (signature !== undefined) {
    const signed = await host.store.signedUrls.use(signature)
    if (signed?.agentId !== agentId)
      return createToolCallRefusal('The signed URL is unknown, already used, or older than 15 minutes.')
    const signedAgent = await host.agents.find(agentId, readVersionRef(signed.body))
    if (!signedAgent)
      return createToolCallRefusal('The signed version or branch of the agent does not exist.')
    return {
      kind: 'admitted',
      agent: signedAgent,
      conversationId: signed.conversationId ?? createId('conv'),
      authorization: 'signed_url',
      environment: getTextField(signed.body, 'environment') ?? query.get('environment') ?? undefined,
    }
  }
  const hasKey = isKey(headers['xi-api-key'], host.apiKey)
  if (agent.platform_settings.auth.enable_auth && !hasKey) {
    return createToolCallRefusal(
      'This agent requires a signed URL. Get one from /v1/convai/conversation/get-signed-url.',
    )
  }
  if (!hasKey && !isOwnPage(agent, headers.origin, host.hosts))
    return createToolCallRefusal(
      'Pages of other hosts need a signed URL, or an entry on the allowlist of the agent.',
    )
  return {
    kind: 'admitted',
    agent,
    conversationId: createId('conv'),
    authorization: hasKey ? 'authorization_header' : 'public',
    environment: query.get('environment') ?? undefined,
  }
}

const createToolCallRefusal = (reason: string): Admission => ({ kind: 'refused', reason })

function isAllowedOrigin({ platform_settings }: AgentDocument, origin: string | undefined): boolean {
  const { allowlist, require_origin_header } = platform_settings.auth
  if (allowlist.length === 0) return true
  if (origin === undefined) return !require_origin_header
  const host = URL.canParse(origin) ? new URL(origin).host : origin
  return allowlist.some(({ hostname }) => hostname === host)
}

/** Any web page can reach this machine, so without an allowlist only its own pages may call. */
function isOwnPage(
  { platform_settings }: AgentDocument,
  origin: string | undefined,
  hosts: readonly string[],
): boolean {
  if (origin === undefined || platform_settings.auth.allowlist.length > 0) return true
  return isKnownHost(URL.parse(origin)?.host ?? origin, hosts)
}

/** Browsers cannot set headers on a WebSocket, so they send the token as a subprotocol. */
function readBearerToken({
  'sec-websocket-protocol': offered = '',
}: IncomingHttpHeaders): string | undefined {
  const bearer = offered.split(',').find((protocol) => protocol.trim().startsWith('bearer.'))
  return bearer?.trim().slice('bearer.'.length)
}

const getTextField = (body: Readonly<Record<string, unknown>>, name: string): string | undefined => {
  const value = body[name]
  return typeof value === 'string' ? value : undefined
}

const readVersionRef = (body: Readonly<Record<string, unknown>>) => ({
  versionId: getTextField(body, 'version_id'),
  branchId: getTextField(body, 'branch_id'),
})
