import {
  CONVERSATIONS,
  type PatchId,
  PlatformError,
  type ProposeCorrection,
  type Retrieved,
  type Source,
  type VoiceAction,
} from '@parley/contracts'
import type { ReflectionStore } from '@parley/knowledge'
import {
  currentReach,
  currentSessionRole,
  decideToolCall,
  isBeyondReach,
  type ReflectionSession,
  type SessionRoleHost,
} from '@parley/reflections'
import type { RetrieveForSession } from './retrieve-for-session.ts'

/** What the tools of a reflection's agent work with; `Services` has all of it. */
export interface ToolCallHost extends SessionRoleHost {
  readonly reflections: Pick<ReflectionStore, 'find' | 'memberOf' | 'addSource' | 'proposeCorrection'>
  readonly retrieveForSession: RetrieveForSession
}

/** What a call from outside proves of itself. */
export interface CallProof {
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
export async function allowed(
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
