import { z } from 'zod'
import {
  CONVERSATIONS,
  type MediaHandle,
  type PatchId,
  type PersonId,
  PlatformError,
  ProposeCorrection,
  type ReflectionId,
  type Retrieved,
  type Source,
  type RetrievedEvidence,
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
  fence,
  refuse,
} from '@parley/engine'
import {
  currentReach,
  currentSessionRole,
  isBeyondReach,
  type ReflectionReader,
  type SessionRoleHost,
} from '../access/session-role.ts'
import type { Sha256 } from '../artifacts/content-hash.ts'
import { isReadOnly } from '../modes/session-actions.ts'
import { decideToolCall } from '../planning/decide-tool-call.ts'
import type { ReflectionSession, ReflectionSessionStore } from '../ports/reflection-session-store.ts'
import type { RetrieveForSession } from '../retrieval/retrieve-for-session.ts'

/** What the tools of a reflection's agent need. */
export interface ToolCallHost extends SessionRoleHost {
  readonly reflections: ReflectionReader & {
    addSource(
      reflectionId: ReflectionId,
      source: {
        readonly title: string
        readonly namespace: string
        readonly bytes: Uint8Array
        readonly mediaType: string
      },
      by: PersonId,
    ): Promise<Source>
    proposeCorrection(
      reflectionId: ReflectionId,
      correction: ProposeCorrection,
      by: PersonId,
    ): Promise<{ readonly patchId: PatchId }>
  }
  readonly retrieveForSession: RetrieveForSession
  readonly bytesOf: (text: string) => Uint8Array
}

export interface ReflectionToolsHost extends ToolCallHost {
  readonly reflectionSessions: Pick<ReflectionSessionStore, 'find'>
  readonly secrets: () => readonly Secret[]
  readonly handleOf: (bytes: Uint8Array) => MediaHandle
  readonly sha256: Sha256
}

/** The tools of a session with a reflection; undefined for any other session. */
export async function createReflectionTools(
  { id, agentSnapshot }: Pick<ToolSession, 'id' | 'agentSnapshot'>,
  host: ReflectionToolsHost,
): Promise<ToolRegistry | undefined> {
  const granted = agentSnapshot.tools ?? []
  if (!granted.some((name) => VoiceAction.safeParse(name).success)) return undefined
  if (!(await host.reflectionSessions.find(id))) return undefined
  const { secrets, handleOf, sha256: hash, bytesOf } = host
  return createToolRegistry(toolsFor(id, host), { granted, secrets, handleOf, hash, bytesOf })
}

const RetrieveContext = z.strictObject({
  query: z.string().trim().min(1).max(1_000).describe('What to look up, as a question.'),
})
const RequestSourceIngest = z.strictObject({
  title: z.string().trim().min(1).max(300).optional().describe('A title in a few words.'),
  text: z.string().trim().min(1).max(100_000).describe('The text to learn, in the words of the person.'),
})

function toolsFor(sessionId: ReflectionSession['sessionId'], host: ReflectionToolsHost): readonly AnyTool[] {
  // Read at each call: the session may have ended, and its person may have another role.
  const readOrigin = async () => ({ session: await host.reflectionSessions.find(sessionId) })

  const plan = async (
    action: VoiceAction,
    carryOut: Plan['carryOut'],
    { target, origin }: { readonly target: string; readonly origin?: string },
  ): Promise<Plan | Refusal> => {
    const refusal = await findRefusal(async () => requireAllowed(action, await readOrigin(), host))
    if (refusal !== undefined) return refuse(refusal, 'tool_denied', target)
    return { kind: 'plan', target, carryOut, ...(origin !== undefined && { origin }) }
  }

  const lookUp: Tool<z.infer<typeof RetrieveContext>> = {
    name: 'retrieve-context',
    description: 'Searches the sources for a question. Answer from the result.',
    input: createToolInput(RetrieveContext),
    mayRepeat: true,
    plan: (input) =>
      plan(
        'retrieve-context',
        async (signal) => evidenceText(await retrieveContext(await readOrigin(), input, host, signal)),
        { target: input.query, origin: 'the sources of this reflection' },
      ),
  }
  const ingest: Tool<z.infer<typeof RequestSourceIngest>> = {
    name: 'request-source-ingest',
    description: 'Hands in something that the person wants to be learned.',
    input: createToolInput(RequestSourceIngest),
    plan: (input) =>
      plan(
        'request-source-ingest',
        async () => {
          const { id } = await requestSourceIngest(await readOrigin(), input, host)
          return ok(`Handed in as ${id}. It is read now; its facts count once that is approved.`)
        },
        { target: input.title ?? 'a conversation' },
      ),
  }
  const correct: Tool<ProposeCorrection> = {
    name: 'propose-fact-correction',
    description: 'Proposes that a fact is wrong, and how it is instead.',
    input: createToolInput(ProposeCorrection),
    plan: (input) =>
      plan(
        'propose-fact-correction',
        async () => {
          const { patchId } = await proposeFactCorrection(await readOrigin(), input, host)
          return ok(`Proposed as ${patchId}. The fact stays as it is until the correction is approved.`)
        },
        { target: input.fact },
      ),
  }
  return [lookUp, ingest, correct]
}

async function findRefusal(decide: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await decide()
    return undefined
  } catch (failure) {
    if (failure instanceof PlatformError)
      return `${failure.detail.message ?? failure.code} Continue without it.`
    throw failure
  }
}

/** The evidence for a model of our own engine, which fences the result of every tool. */
function evidenceText({ evidence, partial }: Retrieved): ToolText {
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

/** The evidence for the provider's model, which reads the result as it is: without internal fields, each text fenced. */
export const fenceEvidence = ({ evidence, partial }: Retrieved, sha256: Sha256): RetrievedEvidence => ({
  evidence: evidence.map(({ kind, text, place: { heading, speaker, ...place }, source, corrects }) => ({
    kind,
    text: fence(text, 'the sources of this reflection', sha256),
    place: {
      ...place,
      ...(heading !== undefined && { heading: fence(heading, 'a heading in that source', sha256) }),
      ...(speaker !== undefined && { speaker: fence(speaker, 'the name of a speaker', sha256) }),
    },
    source: { title: fence(source.title, 'the title of that source', sha256) },
    ...(corrects !== undefined && {
      corrects: corrects.map((start) => fence(start, 'what it corrects', sha256)),
    }),
  })),
  ...(partial && { partial }),
})

interface CallProof {
  readonly isSecretRight: boolean
  readonly isSignatureValid: boolean
  readonly providerConversationId: string
}

/** The session of a tool call, with its proof. Calls of our own engine need no proof. */
export interface CallOrigin {
  readonly session: ReflectionSession | undefined
  readonly proof?: CallProof
}

export async function retrieveContext(
  origin: CallOrigin,
  { query }: { readonly query: string },
  host: ToolCallHost,
  signal: AbortSignal,
): Promise<Retrieved> {
  return host.retrieveForSession(await requireAllowed('retrieve-context', origin, host), query, signal)
}

/** Adds a source of the conversation. Its facts wait for approval like all of a conversation. */
export async function requestSourceIngest(
  origin: CallOrigin,
  { title = 'Told in a conversation', text }: { readonly title?: string | undefined; readonly text: string },
  host: ToolCallHost,
): Promise<Source> {
  const { reflectionId, personId } = await requireAllowed('request-source-ingest', origin, host)
  const source = { title, namespace: CONVERSATIONS, bytes: host.bytesOf(text), mediaType: 'text/plain' }
  return host.reflections.addSource(reflectionId, source, personId)
}

export async function proposeFactCorrection(
  origin: CallOrigin,
  correction: ProposeCorrection,
  host: ToolCallHost,
): Promise<{ readonly patchId: PatchId }> {
  const { reflectionId, personId } = await requireAllowed('propose-fact-correction', origin, host)
  return host.reflections.proposeCorrection(reflectionId, correction, personId)
}

/** The session, if its agent may do this now. */
async function requireAllowed(
  action: VoiceAction,
  { session, proof }: CallOrigin,
  host: ToolCallHost,
): Promise<ReflectionSession> {
  const called = session && (await readCalledSession(session, host))
  const decision = decideToolCall({
    action,
    ...(proof ?? OWN_ENGINE),
    // Our own engine calls outside the provider's conversations, even if a call is continued in writing.
    session: called && {
      ...called,
      ...(proof
        ? { isCallOver: session.transcript === 'stored' }
        : { boundTo: OWN_ENGINE.providerConversationId }),
    },
  })
  if (decision.kind === 'refused') {
    const { code, message, advice } = decision
    throw new PlatformError(code, { message, ...(advice !== undefined && { advice }) })
  }
  if (session?.ingestion === 'off-record' && !isReadOnly(action)) {
    throw new PlatformError('action_not_allowed', {
      message: 'This session is off the record: nothing can be saved from it.',
    })
  }
  if (session) return session
  throw new PlatformError('internal', { message: 'A tool call without a session was allowed.' })
}

async function readCalledSession(session: ReflectionSession, host: SessionRoleHost) {
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

const OWN_ENGINE: CallProof = { isSecretRight: true, isSignatureValid: true, providerConversationId: 'none' }
