import { createHash } from 'node:crypto'
import { z } from 'zod'
import {
  CONVERSATIONS,
  type MediaHandle,
  type PatchId,
  PlatformError,
  ProposeCorrection,
  type Retrieved,
  type Source,
  VoiceAction,
  createToolInput,
} from '@parley/contracts'
import {
  type AnyTool,
  type Plan,
  type Refusal,
  type Secret,
  type Tool,
  type ToolRegistry,
  type ToolSession,
  type ToolText,
  createToolRegistry,
  refuse,
} from '@parley/engine'
import type { ReflectionStore } from '@parley/knowledge'
import {
  type ReflectionSession,
  type ReflectionSessionStore,
  type SessionRoleHost,
  currentReach,
  currentSessionRole,
  decideToolCall,
  isBeyondReach,
} from '@parley/reflections'
import type { RetrieveForSession } from './retrieve-for-session.ts'

export interface ReflectionToolsHost extends ToolCallHost {
  readonly reflectionSessions: Pick<ReflectionSessionStore, 'find'>
  readonly secrets: () => readonly Secret[]
  readonly handleOf: (bytes: Uint8Array) => MediaHandle
}

/** The tools of a session with a reflection, by the same door as all others; undefined for any other session. */
export async function reflectionToolsOf(
  { id, agentSnapshot }: Pick<ToolSession, 'id' | 'agentSnapshot'>,
  host: ReflectionToolsHost,
): Promise<ToolRegistry | undefined> {
  const granted = agentSnapshot.tools ?? []
  if (!granted.some((name) => VoiceAction.safeParse(name).success)) return undefined
  if (!(await host.reflectionSessions.find(id))) return undefined
  return createToolRegistry(toolsFor(id, host), {
    granted,
    secrets: host.secrets,
    handleOf: host.handleOf,
    hash: (text) => createHash('sha256').update(text).digest('hex'),
    bytesOf: (text) => Buffer.from(text),
  })
}

const RetrieveContext = z.strictObject({
  query: z.string().trim().min(1).max(1_000).describe('What to look up, as a question.'),
})
const RequestSourceIngest = z.strictObject({
  title: z.string().trim().min(1).max(300).optional().describe('What it is called, in a few words.'),
  text: z.string().trim().min(1).max(100_000).describe('What is to be learned, in the words of the person.'),
})

function toolsFor(sessionId: ReflectionSession['sessionId'], host: ReflectionToolsHost): readonly AnyTool[] {
  // What the session is now is asked at each call: it may have ended, and its person may have another role by now.
  const from = async () => ({ session: await host.reflectionSessions.find(sessionId) })

  const plan = async (
    action: VoiceAction,
    carryOut: Plan['carryOut'],
    { target, origin }: { readonly target: string; readonly origin?: string },
  ): Promise<Plan | Refusal> => {
    const why = await whyRefused(async () => allowed(action, await from(), host))
    if (why !== undefined) return refuse(why, 'tool_denied', target)
    return { kind: 'plan', target, carryOut, ...(origin !== undefined && { origin }) }
  }

  const lookUp: Tool<z.infer<typeof RetrieveContext>> = {
    name: 'retrieve-context',
    description: 'Looks up what the sources say about a question. Answer from what it gives.',
    input: createToolInput(RetrieveContext),
    mayRepeat: true,
    plan: (asked) =>
      plan(
        'retrieve-context',
        async (signal) => found(await retrieveContext(await from(), asked, host, signal)),
        { target: asked.query, origin: 'the sources of this reflection' },
      ),
  }
  const ingest: Tool<z.infer<typeof RequestSourceIngest>> = {
    name: 'request-source-ingest',
    description: 'Hands in something that the person wants to be learned.',
    input: createToolInput(RequestSourceIngest),
    plan: (told) =>
      plan(
        'request-source-ingest',
        async () => {
          const { id } = await requestSourceIngest(await from(), told, host)
          return ok(`Handed in as ${id}. It is read now; what it says counts once that is approved.`)
        },
        { target: told.title ?? 'what was told' },
      ),
  }
  const correct: Tool<ProposeCorrection> = {
    name: 'propose-fact-correction',
    description: 'Proposes that a fact is wrong, and how it is instead.',
    input: createToolInput(ProposeCorrection),
    plan: (asked) =>
      plan(
        'propose-fact-correction',
        async () => {
          const { patchId } = await proposeFactCorrection(await from(), asked, host)
          return ok(`Proposed as ${patchId}. The fact stays as it is until the correction is approved.`)
        },
        { target: asked.fact },
      ),
  }
  return [lookUp, ingest, correct]
}

async function whyRefused(decide: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await decide()
    return undefined
  } catch (failure) {
    if (failure instanceof PlatformError) return `${failure.detail.message ?? failure.code} Go on without it.`
    throw failure
  }
}

/** As a model reads it: the words, and what they stand in. */
function found({ evidence, partial }: Retrieved): ToolText {
  const items = evidence.map(({ text, source, place, corrects }) => ({
    text,
    source: source.title,
    ...(corrects !== undefined && { corrects }),
    ...(place.date !== undefined && { date: place.date }),
    ...(place.speaker !== undefined && { speaker: place.speaker }),
  }))
  return ok(JSON.stringify({ evidence: items, ...(partial && { partial }) }))
}

const ok = (text: string): ToolText => ({ kind: 'ok', text })

/** What the tools of a reflection's agent work with; `Services` has all of it. */
interface ToolCallHost extends SessionRoleHost {
  readonly reflections: Pick<ReflectionStore, 'find' | 'memberOf' | 'addSource' | 'proposeCorrection'>
  readonly retrieveForSession: RetrieveForSession
}

/** What a call from outside proves of itself. */
interface CallProof {
  readonly isSecretRight: boolean
  readonly isSignatureValid: boolean
  readonly providerConversationId: string
}

/** Where a call comes from: the session that it says, and what proves it; nothing has to where our own engine calls. */
export interface CalledFrom {
  readonly session: ReflectionSession | undefined
  readonly proof?: CallProof
}

export async function retrieveContext(
  from: CalledFrom,
  asked: { readonly query: string },
  host: ToolCallHost,
  signal: AbortSignal,
): Promise<Retrieved> {
  const session = await allowed('retrieve-context', from, host)
  return host.retrieveForSession(session, asked.query, signal)
}

/** What was told waits, as all of a conversation, for a person or for the rule that the owner set. */
export async function requestSourceIngest(
  from: CalledFrom,
  told: { readonly title?: string | undefined; readonly text: string },
  host: ToolCallHost,
): Promise<Source> {
  const { reflectionId, personId } = await allowed('request-source-ingest', from, host)
  const source = {
    title: told.title ?? 'Told in a conversation',
    namespace: CONVERSATIONS,
    bytes: Buffer.from(told.text),
    mediaType: 'text/plain',
  }
  return host.reflections.addSource(reflectionId, source, personId)
}

export async function proposeFactCorrection(
  from: CalledFrom,
  asked: ProposeCorrection,
  host: ToolCallHost,
): Promise<{ readonly patchId: PatchId }> {
  const { reflectionId, personId } = await allowed('propose-fact-correction', from, host)
  return host.reflections.proposeCorrection(reflectionId, asked, personId)
}

/** The session, where its agent may do this now. */
async function allowed(
  action: VoiceAction,
  { session, proof }: CalledFrom,
  host: ToolCallHost,
): Promise<ReflectionSession> {
  const called = session && (await calledSession(session, host))
  const decision = decideToolCall({
    action,
    ...(proof ?? OUR_OWN),
    // Our own engine calls within no conversation of a provider, also where a call goes on in writing.
    session: called && {
      ...called,
      ...(proof ? { isCallOver: isHeard(session) } : { boundTo: OUR_OWN.providerConversationId }),
    },
  })
  if (decision.kind === 'refused') {
    const { code, message, advice } = decision
    throw new PlatformError(code, { message, ...(advice !== undefined && { advice }) })
  }
  if (session?.ingestion === 'off-record' && action !== 'retrieve-context') {
    throw new PlatformError('action_not_allowed', {
      message: 'This session is off the record: nothing of it is handed in.',
    })
  }
  if (session) return session
  throw new PlatformError('internal', { message: 'A call of no session was allowed.' })
}

const isHeard = (session: ReflectionSession | undefined) => session?.transcript === 'stored'

async function calledSession(session: ReflectionSession, host: ToolCallHost) {
  const { shareLinkId, role, status, mode, sessionAudience } = session
  const [roleNow, reach] = await Promise.all([currentSessionRole(session, host), currentReach(session, host)])
  return {
    status,
    isBeyondReach: isBeyondReach(session, reach),
    mode,
    audience: sessionAudience,
    roleThen: role,
    roleNow,
    boundTo: session.providerConversationId,
    ...(shareLinkId !== undefined && { shareLink: roleNow ? ('live' as const) : ('revoked' as const) }),
  }
}

const OUR_OWN: CallProof = { isSecretRight: true, isSignatureValid: true, providerConversationId: 'none' }
