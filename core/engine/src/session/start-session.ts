import { type AgentSession, PlatformError, type SessionId, type SessionMessage } from '@parley/contracts'
import { checkContext } from '../context/render-system-prompt.ts'
import { createStamper } from '../events/stamper.ts'
import { toStored } from '../events/stored-event.ts'
import { maskFor, maskIn } from '../tools/mask-secrets.ts'
import { readTurns } from './read-past.ts'
import type { NewSession } from './requests.ts'
import type { SessionsHost } from './sessions-host.ts'
import { modelsOf } from './turn-host.ts'

/** Refuses an agent whose model is not to be had here, since it could never answer. */
export async function startSession(
  opening: NewSession,
  host: SessionsHost,
  past: readonly SessionMessage[] = [],
  signal?: AbortSignal,
): Promise<AgentSession> {
  const { ownerId, channel, agent, context, title } = maskIn(opening, maskFor(host))
  modelsOf(agent, host)
  checkContext(agent.system_prompt, context)
  const { store, clock, ids } = host
  const id = opening.id ?? ids.sessionId()
  const { id: agentSlug, name, model, provider } = agent
  const started = createStamper(id, 1, clock).stamp({
    type: 'session:started',
    agent: { id: agentSlug, model, provider, ...(name !== undefined && { name }) },
    context,
  })
  const session: AgentSession = {
    id,
    ownerId,
    channel,
    status: 'active',
    agentSlug,
    agentSnapshot: agent,
    context,
    costs: {},
    grants: [],
    messageCount: past.length,
    createdAt: started.timestamp,
    updatedAt: started.timestamp,
    ...(title !== undefined && { title }),
  }
  const copied = past.map((message, index) => ({
    ...message,
    id: ids.messageId(),
    sessionId: id,
    sequenceNumber: index + 1,
  }))
  await store.create(session, toStored(started), copied, signal)
  return session
}

const PAGE = 500

/** A new session of another agent with what was completed in an earlier one, and notes on what was not. */
export async function forkSession(
  sessionId: SessionId,
  opening: Pick<NewSession, 'id' | 'ownerId' | 'agent'>,
  host: SessionsHost,
): Promise<AgentSession> {
  const record = await host.store.find(sessionId)
  if (!record) throw new PlatformError('session_not_found', { sessionId })
  const { channel, context, title } = record.session
  const past: SessionMessage[] = []
  for (;;) {
    const page = await host.store.readMessages(sessionId, { after: past.length, limit: PAGE })
    past.push(...page)
    if (page.length < PAGE) break
  }
  const turns = await readTurns(past, host)
  return startSession(
    { ...opening, channel, context, ...(title !== undefined && { title }) },
    host,
    turns.flatMap((turn) => (turn.kind === 'completed' ? turn.messages : [turn.note])),
  )
}
