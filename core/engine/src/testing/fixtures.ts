import type { Agent, AgentSession, PersonId, SessionId, SessionMessage, TurnId } from '@parley/contracts'
import { type IdSource, createIdSource } from '../ports/id-source.ts'
import type { Batch, Lease, NewQuestion, SessionStore, StoredEvent, NewTurn } from '../ports/session-store.ts'
import type { SessionLimits } from '../turn/turn.ts'

/** Unique across test processes, since stores outlive them. */
export const createTestIds = (): IdSource =>
  createIdSource((bytes) => bytes.forEach((_, place) => (bytes[place] = Math.random() * 256)))

export const testAgent: Agent = {
  id: 'helper',
  model: 'scripted',
  provider: 'test',
  system_prompt: 'Be brief.',
}

/** The defaults, with long turns. */
export const testLimits: SessionLimits = {
  maxTurns: 50,
  maxToolTurns: 25,
  maxMessages: 200,
  autoCompact: true,
  compactThreshold: 0.8,
  onExceed: 'fail',
}

export const testOwner = 'per_owner' as PersonId

/** A new session with its first event. */
export function createTestSession(
  id: SessionId,
  at: string,
  given: Partial<AgentSession> = {},
): [AgentSession, StoredEvent] {
  const session: AgentSession = {
    id,
    ownerId: testOwner,
    channel: 'text',
    status: 'active',
    agentSlug: testAgent.id,
    agentSnapshot: testAgent,
    context: { workingDir: '/home/ada/notes', fsScopeTier: 'sandboxed' },
    costs: {},
    grants: [],
    messageCount: 0,
    createdAt: at,
    updatedAt: at,
    ...given,
  }
  return [session, { sequenceNumber: 1, timestamp: at, body: { type: 'session:started' } }]
}

export interface StoreUnderTest {
  readonly store: SessionStore
  /** The same data, opened by a second live process. */
  readonly other: SessionStore
  /** The same data, opened by a process that dies on request. */
  readonly doomed: () => Promise<{ readonly store: SessionStore; readonly die: () => unknown }>
}

export const ids = createTestIds()
export const AT = '2026-03-04T05:06:07.000Z'
export const LATER = '2026-03-04T05:06:08.000Z'

/** A new session in the store under test. */
export async function startSessionIn(
  opened: Promise<StoreUnderTest>,
  given: Parameters<typeof createTestSession>[2] = {},
): Promise<StoreUnderTest & { id: SessionId }> {
  const under = await opened
  const id = ids.sessionId()
  await under.store.create(...createTestSession(id, AT, given))
  return { ...under, id }
}

export function createNewTurn(
  sessionId: SessionId,
  text = 'Hello',
  given: Partial<NewQuestion> = {},
): NewTurn & { question: NewQuestion } {
  const turnId: TurnId = ids.turnId()
  const message = { id: ids.messageId(), content: [{ type: 'text' as const, text }], timestamp: LATER }
  return {
    sessionId,
    turnId,
    question: { kind: 'new', message, title: 'Hello', ...given },
    event: { timestamp: LATER, body: { type: 'session:turn_started', turnId } },
    reserve: 100,
  }
}

export const createQuestionMessage = (
  { sessionId, turnId, lastMessageNumber }: Lease,
  { question }: { question: NewQuestion },
): SessionMessage => ({
  ...question.message,
  sessionId,
  turnId,
  role: 'user',
  sequenceNumber: lastMessageNumber,
})

export const createAnswerMessage = (sessionId: SessionId, sequenceNumber: number): SessionMessage => ({
  id: `msg_${sessionId.slice(4)}${sequenceNumber}` as SessionMessage['id'],
  sessionId,
  sequenceNumber,
  role: 'assistant',
  modelId: 'scripted',
  turnId: `trn_${sessionId.slice(4)}` as TurnId,
  cutShort: 'cancelled',
  content: [
    { type: 'reasoning', text: 'Hm.' },
    { type: 'text', text: `answer ${sequenceNumber}` },
  ],
  timestamp: LATER,
})

/** Incompressible text. */
export const createNoise = (length: number) =>
  Array.from({ length }, () => Math.floor(Math.random() * 36).toString(36)).join('')

export const createStoredEvent = (sequenceNumber: number, given: Partial<StoredEvent> = {}): StoredEvent => ({
  sequenceNumber,
  timestamp: LATER,
  body: { type: 'agent:token', model: 'scripted' },
  ...given,
})

export const createBatch = (given: Partial<Batch>): Batch => ({
  messages: [],
  events: [],
  reservedUpTo: 102,
  lease: 'kept',
  ...given,
})
