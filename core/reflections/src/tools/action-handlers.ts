import {
  type ActionInput,
  type ActionResponse,
  type AgentAction,
  CONVERSATIONS,
  type PatchId,
  type PersonId,
  PlatformError,
  type ProposeCorrection,
  type ReflectionId,
  type RetrievalResult,
  type RetrievedEvidence,
  type Source,
  fence,
} from '@parley/contracts'
import {
  type ReflectionReader,
  type SessionRoleHost,
  findCurrentReach,
  findCurrentRole,
  isBeyondReach,
} from '../access/session-role.ts'
import type { Sha256 } from '../artifacts/content-hash.ts'
import { SAY_GOODBYE, decideToolCall } from './decide-tool-call.ts'
import type { ReflectionSession } from '../ports/reflection-session-store.ts'
import type { RetrieveForSession } from '../retrieval/retrieve-for-session.ts'

/** What the actions of a reflection's agent need. */
export interface ActionHost extends SessionRoleHost {
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
  readonly sha256: Sha256
}

interface ActionHandler<Action extends AgentAction> {
  /** The object of a call, in a few words. */
  readonly subject: (input: ActionInput<Action>) => string
  /** Where the result comes from, if it is quoted text. */
  readonly origin?: string
  /** Carries out a call of our own engine. The text is for the model. */
  readonly callFromEngine: (input: ActionInput<Action>, call: AllowedCall) => Promise<string>
  /** Carries out a call of the voice provider. */
  readonly callFromProvider: (
    input: ActionInput<Action>,
    call: AllowedCall,
  ) => Promise<ActionResponse<Action>>
}

interface AllowedCall {
  readonly session: ReflectionSession
  readonly host: ActionHost
  readonly signal: AbortSignal
}

/** What each action does. Its row in `AGENT_ACTIONS` says the rest. */
export const ACTION_HANDLERS: { readonly [Action in AgentAction]: ActionHandler<Action> } = {
  'retrieve-context': createHandler({
    subject: ({ query }) => query,
    origin: 'the sources of this reflection',
    run: ({ query }, { session, host, signal }) => host.retrieveForSession(session, query, signal),
    toText: formatEvidence,
    // The agent's prompt may hold sources that were unpublished or removed during the call.
    toResponse: (retrieved, { session, host }) => ({
      ...fenceEvidence(retrieved, host.sha256),
      ...(session.isOutdated && { message: SAY_GOODBYE }),
    }),
  }),
  'request-source-ingest': createHandler({
    subject: ({ title }) => title || 'a conversation',
    run: ({ title, text }, { session, host }) =>
      host.reflections.addSource(
        session.reflectionId,
        {
          title: title || 'Told in a conversation',
          namespace: CONVERSATIONS,
          bytes: host.bytesOf(text),
          mediaType: 'text/plain',
        },
        session.personId,
      ),
    toText: ({ id }) => `Submitted as ${id}. Its facts are used after they are approved.`,
    toResponse: ({ id }) => ({ sourceId: id }),
  }),
  'propose-fact-correction': createHandler({
    subject: ({ fact }) => fact,
    run: (correction, { session, host }) =>
      host.reflections.proposeCorrection(session.reflectionId, correction, session.personId),
    toText: ({ patchId }) => `Proposed as ${patchId}. The fact changes after the correction is approved.`,
    toResponse: ({ patchId }) => ({ patchId }),
  }),
}

function createHandler<Action extends AgentAction, Result>({
  run,
  toText,
  toResponse,
  ...rest
}: Pick<ActionHandler<Action>, 'subject' | 'origin'> & {
  readonly run: (input: ActionInput<Action>, call: AllowedCall) => Promise<Result>
  readonly toText: (result: Result) => string
  readonly toResponse: (result: Result, call: AllowedCall) => ActionResponse<Action>
}): ActionHandler<Action> {
  return {
    ...rest,
    callFromEngine: async (input, call) => toText(await run(input, call)),
    callFromProvider: async (input, call) => toResponse(await run(input, call), call),
  }
}

/** The evidence for a model of our own engine, which fences the result of every tool. */
function formatEvidence({ evidence, partial }: RetrievalResult): string {
  const items = evidence.map(({ text, source, place, corrects }) => ({
    text,
    source: source.title,
    ...(corrects !== undefined && { corrects }),
    ...(place.date !== undefined && { date: place.date }),
    ...(place.speaker !== undefined && { speaker: place.speaker }),
  }))
  return JSON.stringify({ evidence: items, ...(partial && { partial }) })
}

/** The evidence for the provider's model, which reads the response unchanged: without internal fields, each text fenced. */
const fenceEvidence = ({ evidence, partial }: RetrievalResult, sha256: Sha256): RetrievedEvidence => ({
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

/** The session of a call, with the provider's proof. Calls of our own engine need no proof. */
export interface CallOrigin {
  readonly session: ReflectionSession | undefined
  readonly proof?: CallProof
}

/** Carries out a call of the voice provider, if its session allows the action now. */
export async function callFromProvider<Action extends AgentAction>(
  action: Action,
  input: ActionInput<Action>,
  origin: CallOrigin,
  { host, signal }: Omit<AllowedCall, 'session'>,
): Promise<ActionResponse<Action>> {
  const session = await requireAllowed(action, origin, host)
  return ACTION_HANDLERS[action].callFromProvider(input, { session, host, signal })
}

/** The session, if its agent may do this now. */
export async function requireAllowed(
  action: AgentAction,
  { session, proof }: CallOrigin,
  host: ActionHost,
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
  if (session) return session
  throw new PlatformError('internal', { message: 'A tool call without a session was allowed.' })
}

async function readCalledSession(session: ReflectionSession, host: SessionRoleHost) {
  const { shareLinkId, role, status, mode, sessionAudience, ingestion } = session
  const [roleNow, reach] = await Promise.all([
    findCurrentRole(session, host),
    findCurrentReach(session, host),
  ])
  return {
    status,
    isBeyondReach: isBeyondReach(session, reach),
    mode,
    audience: sessionAudience,
    ingestion,
    roleAtStart: role,
    roleNow,
    boundTo: session.providerConversationId,
    ...(shareLinkId !== undefined && { shareLink: roleNow ? ('live' as const) : ('revoked' as const) }),
  }
}

const OWN_ENGINE: CallProof = { isSecretRight: true, isSignatureValid: true, providerConversationId: 'none' }
