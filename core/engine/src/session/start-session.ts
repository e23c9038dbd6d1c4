import {
  type AgentSession,
  PlatformError,
  SessionContextSchema,
  type SessionId,
  type SessionMessage,
  findSecret,
  findSecretsIn,
  formatIssue,
  writePath,
} from '@parley/contracts'
import { checkAgentInput, checkContextReferences, checkInput } from '../context/agent-input.ts'
import { createStamper } from '../events/event-stamper.ts'
import { toStoredEvent } from '../events/stored-event.ts'
import { createMask, maskValue } from '../tools/mask-secrets.ts'
import { readAllMessages } from './read-all-messages.ts'
import { readPastTurns } from './read-past.ts'
import type { NewSession } from './requests.ts'
import { type SessionsHost, requireAllModels } from './sessions-host.ts'

/** Stores a new session. Throws if one of its agent's models is not available. */
export async function startSession(
  request: NewSession,
  host: SessionsHost,
  past: readonly SessionMessage[] = [],
  signal?: AbortSignal,
): Promise<AgentSession> {
  const { ownerId, channel, agent, context, title, firstMessage } = maskValue(request, createMask(host))
  requireAllModels(agent, host)
  checkNewSession(request)
  checkContextReferences(agent.system_prompt, context)
  checkAgentInput(agent)
  if (firstMessage !== undefined) checkInput(agent, firstMessage)
  const { store, clock, ids } = host
  const id = request.id ?? ids.sessionId()
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
  await store.create(session, toStoredEvent(started), copied, signal)
  return session
}

/** A new session of another agent with the completed turns of an earlier one, and notes on the others. */
export async function forkSession(
  sessionId: SessionId,
  request: Pick<NewSession, 'id' | 'ownerId' | 'agent'>,
  host: SessionsHost,
): Promise<AgentSession> {
  const record = await host.store.find(sessionId)
  if (!record) throw new PlatformError('session_not_found', { sessionId })
  const { channel, context, title } = record.session
  const turns = await readPastTurns(await readAllMessages(host.store, sessionId), host)
  return startSession(
    // A title made from the first message may contain a secret.
    { ...request, channel, context, ...(title !== undefined && !findSecret(title) && { title }) },
    host,
    turns.flatMap((turn) => (turn.kind === 'completed' ? turn.messages : [turn.note])),
  )
}

/** Refuses an invalid context, and a secret in any text of agent, context or title. */
function checkNewSession({ agent, context, title }: NewSession): void {
  const [issue] = SessionContextSchema.safeParse(context).error?.issues ?? []
  if (issue) {
    throw new PlatformError('validation', {
      message: `${writePath(['context', ...issue.path])}: ${formatIssue(issue)}.`,
      fix: 'Give the session less context, or keep it in a file that the agent reads.',
    })
  }
  refuseSecrets({ agent, context, title })
}

/** Refuses a secret in any text that a session stores. */
export function refuseSecrets(stored: Readonly<Record<string, unknown>>): void {
  const [secret] = findSecretsIn(stored)
  if (!secret) return
  const place = writePath(secret.path)
  throw new PlatformError('validation', {
    message: `${place} looks like ${secret.kind}. The agent, the context and the title of a session are stored, and shown in plain text.`,
    fix: 'Remove it. Store secrets with `parley keys set NAME`, or in environment variables.',
    path: place,
  })
}

const MAX_TITLE_LENGTH = 80

/** A session's default title is the first line of its first message. */
export function createSessionTitle(text: string): string {
  const line =
    text
      .toWellFormed()
      .trim()
      .split('\n', 1)[0]
      ?.replace(/[\s\p{Cc}]+/gu, ' ')
      .trim() ?? ''
  if (line.length <= MAX_TITLE_LENGTH) return line
  const cut = line.slice(0, MAX_TITLE_LENGTH - 1)
  const atWord = cut.slice(0, Math.max(0, cut.lastIndexOf(' '))).trimEnd()
  return `${(atWord || cut).replace(/[\uD800-\uDBFF]$/, '')}…`
}
