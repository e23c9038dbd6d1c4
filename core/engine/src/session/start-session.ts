import {
  type AgentSession,
  findSecret,
  findSecretsIn,
  issueInWords,
  PlatformError,
  SessionContextSchema,
  type SessionId,
  type SessionMessage,
  writePath,
} from '@parley/contracts'
import { checkAgentInput, checkInput } from '../context/agent-input.ts'
import { checkPlaceholders } from '../context/render-system-prompt.ts'
import { createStamper } from '../events/stamper.ts'
import { toStored } from '../events/stored-event.ts'
import { maskFor, maskIn } from '../tools/mask-secrets.ts'
import { readPastTurns } from './read-past.ts'
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
  const { ownerId, channel, agent, context, title, firstMessage } = maskIn(opening, maskFor(host))
  modelsOf(agent, host)
  checkOpening(opening)
  checkPlaceholders(agent.system_prompt, context)
  checkAgentInput(agent)
  if (firstMessage !== undefined) checkInput(agent, firstMessage)
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

/** Refuses a context that the schema does not allow, and a secret in any text of agent, context or title. */
function checkOpening({ agent, context, title }: NewSession): void {
  const [issue] = SessionContextSchema.safeParse(context).error?.issues ?? []
  if (issue) {
    throw new PlatformError('validation', {
      message: `${writePath(['context', ...issue.path])}: ${issueInWords(issue)}.`,
      mend: 'Give the session less context, or keep it in a file that the agent reads.',
    })
  }
  refuseSecrets({ agent, context, title })
}

/** Refuses a secret in any text that a session keeps. */
export function refuseSecrets(kept: Readonly<Record<string, unknown>>): void {
  const [secret] = findSecretsIn(kept)
  if (!secret) return
  const place = writePath(secret.path)
  throw new PlatformError('validation', {
    message: `${place} looks like ${secret.kind}. The agent, the context and the title of a session are stored, and shown in plain text.`,
    mend: 'Take it out. Secrets are kept with `parley keys set NAME`, or in the environment.',
    path: place,
  })
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
  const turns = await readPastTurns(past, host)
  return startSession(
    // A title that was taken from the first message may hold a secret.
    { ...opening, channel, context, ...(title !== undefined && !findSecret(title) && { title }) },
    host,
    turns.flatMap((turn) => (turn.kind === 'completed' ? turn.messages : [turn.note])),
  )
}
