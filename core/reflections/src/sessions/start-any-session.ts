import {
  type Agent,
  type AgentSession,
  type FsScopeTier,
  findNearest,
  type PersonId,
  PlatformError,
  type Reflection,
  type ReflectionId,
  type SessionContext,
  type SessionId,
  type StartAnySession,
  type StartSession,
  type StartVoiceSession,
  type StartedSession,
  chooseNarrowerTier,
} from '@parley/contracts'
import { type NewSession, type Sessions, narrowTools, toSessionView, type Wait } from '@parley/engine'
import { enterReflection } from '../access/enter-reflection.ts'
import type { CallClient, CallResponses } from '../starting/start-voice-conversation.ts'
import { type StartTime, startInTime } from '../starting/start-session.ts'
import type { SessionCaller } from './enter-session.ts'
import type { OffRecord } from './off-record.ts'
import type { ReflectionSessions } from './reflection-sessions.ts'
import type { StartRequest } from './sessions-host.ts'

export interface StartCaller extends SessionCaller {
  /** Set for people who were invited to a reflection and have no other rights on the server. */
  readonly isInvited?: true
}

/** The agents of the server. */
export interface AgentCatalog {
  readonly getAgents: () => ReadonlyMap<string, Agent>
  readonly getDefaultAgent: () => Agent
  /** The names of the configured MCP servers. */
  readonly mcpServers: readonly string[]
}

interface AnyStartHost extends AgentCatalog {
  readonly sessions: Pick<Sessions, 'start'>
  readonly reflectionSessions: Pick<ReflectionSessions, 'startTyped' | 'startVoiceConversation'>
  readonly reflections: Parameters<typeof enterReflection>[2] & {
    find(reflectionId: ReflectionId, signal?: AbortSignal): Promise<Reflection | undefined>
  }
  readonly offRecord: Pick<OffRecord, 'admit' | 'forget'>
  /** The default context of a person's sessions. */
  readonly getDefaultContext: (person: PersonId) => Promise<SessionContext>
  /** The widest file access of any session on this server. */
  readonly widestTier: FsScopeTier
  readonly newSessionId: () => SessionId
  readonly wait: Wait
}

/** Starts a session: spoken or typed with a reflection, or typed with an agent of the server. */
export async function startAnySession<Client extends CallClient>(
  body: StartAnySession,
  caller: StartCaller,
  client: Client,
  host: AnyStartHost,
): Promise<CallResponses[Client] | StartedSession> {
  return startInTime(host.wait, async (time) => {
    if (body.channel === 'voice') return startSpoken(body, caller, client, host, time)
    const request = await time.run(() => toTypedRequest(body, caller, host))
    return request ? host.reflectionSessions.startTyped(request, time) : startWithAgent(body, caller, host)
  })
}

async function startSpoken<Client extends CallClient>(
  { reflectionId, agentType, mode, roomPrefix, offRecord, transport, title }: StartVoiceSession,
  caller: StartCaller,
  client: Client,
  { reflections, reflectionSessions }: AnyStartHost,
  time: StartTime,
): Promise<CallResponses[Client]> {
  const entered = await time.run(() => enterReflection(caller, reflectionId, reflections))
  const request = {
    ...entered,
    personId: caller.personId,
    audience: 'private' as const,
    hints: { agentType, mode, roomPrefix },
    offRecord,
    transport,
    ...(title !== undefined && { title }),
  }
  return reflectionSessions.startVoiceConversation(request, client, time)
}

/** The start of a typed session with a reflection; undefined if the request names none. */
async function toTypedRequest(
  body: StartSession,
  caller: StartCaller,
  { reflections }: AnyStartHost,
): Promise<StartRequest | undefined> {
  const { reflectionId, agentType, mode, roomPrefix, offRecord = false, title, context } = body
  if (reflectionId === undefined) {
    const misplaced = REFLECTION_FIELDS.find((key) => body[key] !== undefined)
    if (misplaced === undefined) return undefined
    throw createInvalidStartError(
      `${misplaced} is for a session with a reflection: name one by reflectionId.`,
    )
  }
  const misplaced = AGENT_FIELDS.find((key) => body[key] !== undefined)
  if (misplaced !== undefined) {
    throw createInvalidStartError(
      `A reflection has its own agent: leave out ${misplaced}, or leave out reflectionId.`,
    )
  }
  const entered = await enterReflection(caller, reflectionId, reflections)
  return {
    ...entered,
    personId: caller.personId,
    audience: 'private',
    hints: { agentType, mode, roomPrefix },
    offRecord,
    ...(title !== undefined && { title }),
    ...(context?.variables && { variables: context.variables }),
  }
}

const REFLECTION_FIELDS = ['agentType', 'mode', 'roomPrefix'] as const
const AGENT_FIELDS = ['agent', 'agentId', 'tools'] as const

const createInvalidStartError = (message: string) => new PlatformError('validation', { message })

async function startWithAgent(
  { channel, title, context, tools, offRecord, ...named }: StartSession,
  caller: StartCaller,
  host: AnyStartHost,
): Promise<StartedSession> {
  const { personId } = caller
  const defaultContext = await host.getDefaultContext(personId)
  const newSession = {
    id: host.newSessionId(),
    ownerId: personId,
    channel,
    agent: narrowTools(chooseAgent(named, caller, host), tools),
    context: chooseContext(context, caller, defaultContext, host.widestTier),
    ...(title !== undefined && { title }),
  }
  const session = offRecord ? await startOffRecord(newSession, host) : await host.sessions.start(newSession)
  return toSessionView({ session, lastSequence: 1 }, { mayWrite: true })
}

async function startOffRecord(
  newSession: NewSession & { readonly id: SessionId },
  { sessions, offRecord }: AnyStartHost,
): Promise<AgentSession> {
  offRecord.admit(newSession.id, newSession.ownerId, 'agent')
  try {
    return await sessions.start(newSession)
  } catch (failure) {
    offRecord.forget(newSession.id)
    throw failure
  }
}

/** The context of a new session. Only the server's owner chooses the folder and the file access, within the server's config. */
function chooseContext(
  requested: StartSession['context'],
  caller: StartCaller,
  defaultContext: SessionContext,
  widest: FsScopeTier,
): SessionContext {
  if (!requested) return defaultContext
  const needsOwner =
    requested.workingDir !== undefined || requested.fsScopeTier !== defaultContext.fsScopeTier
  if (needsOwner && caller.role !== 'owner') {
    throw new PlatformError('forbidden', {
      message: 'Only the owner may set context.workingDir and context.fsScopeTier.',
    })
  }
  return {
    ...defaultContext,
    ...requested,
    workingDir: requested.workingDir ?? defaultContext.workingDir,
    fsScopeTier: chooseNarrowerTier(requested.fsScopeTier, widest),
  }
}

/** The agent that a new session freezes: one of the server, or one that the server's owner sends. */
export function chooseAgent(
  { agent, agentId }: Pick<StartSession, 'agent' | 'agentId'>,
  caller: StartCaller,
  { getAgents, getDefaultAgent, mcpServers }: AgentCatalog,
): Agent {
  if (caller.isInvited) {
    throw new PlatformError('forbidden', {
      message:
        'Set reflectionId: your invitation is for a reflection, and does not include the agents of this server.',
    })
  }
  if (agent && agentId !== undefined) {
    throw new PlatformError('validation', {
      message: 'Name an agent by agentId, or send one as agent, not both.',
    })
  }
  if (agent) {
    if (caller.role !== 'owner') {
      throw new PlatformError('forbidden', {
        message: 'Only the owner may send an agent; name one by agentId.',
      })
    }
    refuseUnknownServers(agent, mcpServers)
    return agent
  }
  if (agentId === undefined) return getDefaultAgent()
  const agents = getAgents()
  const known = agents.get(agentId)
  if (known) return known
  throw new PlatformError('agent_not_found', {
    message: `There is no agent "${agentId}". This server has: ${[...agents.keys()].join(', ')}.`,
  })
}

/** Throws if the agent names MCP servers that this server does not have. */
function refuseUnknownServers({ mcp_servers: named = [] }: Agent, known: readonly string[]): void {
  const issues = named.flatMap((server, index) => {
    if (typeof server !== 'string' || known.includes(server)) return []
    const similar = findNearest(server, known)
    const list = known.length === 0 ? 'this server has none' : `this server has ${known.join(', ')}`
    const hint = similar === undefined ? list : `did you mean "${similar}"?`
    return [{ path: `agent.mcp_servers.${index}`, message: `there is no MCP server "${server}"; ${hint}` }]
  })
  if (issues.length === 0) return
  const message = issues.map((issue) => `${issue.path}: ${issue.message}`).join('; ')
  throw new PlatformError('validation', { message, issues })
}
