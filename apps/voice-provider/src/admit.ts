import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { ProviderStore } from '@parley/postgres'
import type { AgentDocument } from './agents/agent-document.ts'
import type { Agents } from './agents/agents.ts'
import type { ConversationOpening } from './conversation/call.ts'
import { newId } from './new-id.ts'
import { isKnownHost } from './rest/known-host.ts'

export type Admission =
  | ({ readonly kind: 'admitted' } & Omit<ConversationOpening, 'host' | 'signal' | 'hangUp'>)
  | { readonly kind: 'refused'; readonly reason: string }

export interface Knock {
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
export async function admit({ query, headers }: Knock, host: AdmitHost): Promise<Admission> {
  const agentId = query.get('agent_id')
  if (!agentId) return refused('The query has no agent_id.')
  const agent = agentId.includes('\0') ? undefined : await host.agents.find(agentId)
  if (!agent) return refused('The AI agent you are trying to reach does not exist.')
  if (!isFromAllowedPlace(agent, headers.origin))
    return refused('This origin is not on the allowlist of the agent.')
  const whyFull = host.whyFull(agent)
  if (whyFull !== undefined) return refused(whyFull)

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

export const isKey = (given: string | readonly string[] | undefined, apiKey: string): boolean =>
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
