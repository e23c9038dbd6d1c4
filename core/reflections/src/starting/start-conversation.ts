import {
  type ErrorCode,
  type MobileSessionResponse,
  PlatformError,
  type SessionId,
  type VoiceSessionResponse,
} from '@parley/contracts'
import { type VoiceStatus, decideProviderBindOutcome } from '../planning/decide-provider-bind-outcome.ts'
import { settleSurface } from './build-session-dynamic-extras.ts'
import { type Prepared, prepareConversation } from './prepare-conversation.ts'
import type { Conversation, ConversationOpening, ErrorReporter, StartingHost } from './starting-host.ts'
import { type Wait, withinDeadline } from './within-deadline.ts'

/** For a web client, which has no use for the provider's own id. */
export const startVoiceConversation = async (
  opening: ConversationOpening,
  host: StartingHost,
  time: StartTime,
): Promise<VoiceSessionResponse> => responseOf(await bootstrap(opening, host, time))

export const startMobileConversation = async (
  opening: ConversationOpening,
  host: StartingHost,
  time: StartTime,
): Promise<MobileSessionResponse> => mobileResponseOf(await bootstrap(opening, host, time))

/** A new credential for a session that is on; it stays on where there is none to be had. */
export const reconnectVoiceConversation = async (
  conversation: Conversation,
  bound: Bound,
  host: StartingHost,
  time: StartTime,
): Promise<VoiceSessionResponse> => responseOf(await reconnect(conversation, bound, host, time))

export const reconnectMobileConversation = async (
  conversation: Conversation,
  bound: Bound,
  host: StartingHost,
  time: StartTime,
): Promise<MobileSessionResponse> => mobileResponseOf(await reconnect(conversation, bound, host, time))

/** What a session is bound to before. */
export interface Bound {
  readonly status: VoiceStatus
  readonly boundTo?: string | undefined
}

interface Ready {
  readonly conversation: Conversation
  readonly prepared: Prepared
}

const bootstrap = (opening: ConversationOpening, host: StartingHost, time: StartTime): Promise<Ready> =>
  startOrUndo(
    {
      sessionId: opening.sessionId,
      begin: (signal) => beginConversation(opening, host, signal),
      undo: (code) => [
        host.sessions.fail(opening.sessionId, code),
        ...(opening.plan.audience === 'public' ? [host.scopes.end(opening.sessionId)] : []),
        ...(opening.record ? [opening.record.discard()] : []),
      ],
    },
    time,
    host.errors,
  )

async function beginConversation(
  opening: ConversationOpening,
  host: StartingHost,
  signal: AbortSignal,
): Promise<Ready> {
  await open(opening, host, signal)
  const plan = await settleSurface(opening, host.wait, signal)
  const conversation = { ...opening, plan }
  const preparing = prepareConversation(conversation, host, signal)
  const keeping = preparing.told.then((variables) =>
    signal.aborted ? undefined : opening.record?.keep(variables, plan, signal),
  )
  const [prepared] = await Promise.all([preparing.prepared, keeping])
  await bind(conversation, { status: 'starting' }, prepared, host, signal)
  return { conversation, prepared }
}

const reconnect = (
  conversation: Conversation,
  bound: Bound,
  host: StartingHost,
  time: StartTime,
): Promise<Ready> =>
  time.within(async (signal) => {
    const preparing = prepareConversation(conversation, host, signal)
    const [prepared] = await Promise.all([preparing.prepared, preparing.told])
    await bind(conversation, bound, prepared, host, signal)
    return { conversation, prepared }
  })

async function open(
  { sessionId, reflection, personId, plan, visitor }: ConversationOpening,
  { sessions, scopes }: StartingHost,
  signal: AbortSignal,
): Promise<void> {
  const { mode, audience, surface, role, ingestion, namespaces, isNarrowed } = plan
  const settled = {
    mode,
    sessionAudience: audience,
    surface,
    role,
    ingestion,
    namespaces,
    ...(isNarrowed && { isNarrowed }),
  }
  const row = { sessionId, reflectionId: reflection.id, personId, channel: 'voice', ...settled } as const
  const of = visitor && { shareLinkId: visitor.linkId }
  await sessions.open({ ...row, ...of, status: 'starting' }, visitor?.tokenHash, signal)
  if (audience === 'public')
    await scopes.create({ sessionId, reflectionId: reflection.id, namespaces }, signal)
}

/** What is decided here is held by the store, whose statement looks at the status once more. */
async function bind(
  { sessionId, reflection, plan }: Conversation,
  { status, boundTo }: Bound,
  { credential: { providerConversationId }, agentId }: Prepared,
  { sessions, publishRevisionOf }: StartingHost,
  signal: AbortSignal,
): Promise<void> {
  const isAfterDeadline = signal.aborted
  const outcome = decideProviderBindOutcome({ status, boundTo, providerConversationId, isAfterDeadline })
  if (outcome === 'too-late' && isAfterDeadline) throw tooLate()
  const isBound =
    outcome !== 'too-late' &&
    (await sessions.bind(sessionId, { providerConversationId, agentId, surface: plan.surface }, signal))
  if (!isBound) {
    throw new PlatformError('session_ended', {
      sessionId,
      message: 'The session ended while it was starting.',
    })
  }
  // Looked at once it is on: whatever is published or taken back later finds it among those that are.
  if (plan.audience === 'private') return
  if ((await publishRevisionOf(reflection.id, signal)) === reflection.publishRevision) return
  throw new PlatformError('public_runtime_stale', {
    message: 'What is published has changed while this session started. Try again in a moment.',
    differs: ['the published namespaces'],
  })
}

function responseOf({ conversation, prepared }: Ready): VoiceSessionResponse {
  const { sessionId, plan, transport } = conversation
  const { credential, variables, cut, warnings } = prepared
  const { mode, audience, surface } = plan
  return {
    sessionId,
    mode,
    audience,
    surface,
    transport,
    ...(credential.kind === 'signed_url'
      ? { signedUrl: credential.signedUrl }
      : { conversationToken: credential.conversationToken }),
    expiresAt: credential.expiresAt,
    dynamicVariables: { ...variables },
    cut: [...cut],
    warnings: [...warnings],
  }
}

const mobileResponseOf = (ready: Ready): MobileSessionResponse => ({
  ...responseOf(ready),
  providerConversationId: ready.prepared.credential.providerConversationId,
})

interface StartAttempt<Outcome> {
  readonly sessionId: SessionId
  readonly begin: (signal: AbortSignal) => Promise<Outcome>
  /** What leaves nothing of it but its row, which says why. It may be done twice. */
  readonly undo: (code: ErrorCode) => readonly Promise<unknown>[]
}

/** Who was told that it took too long waits no longer than this for what is undone. */
const UNDO_MS = 250

/** Starts a session in time. Where that fails, it is reported and undone, and thrown with the session's id. */
export async function startOrUndo<Outcome>(
  { sessionId, begin, undo }: StartAttempt<Outcome>,
  time: StartTime,
  errors: ErrorReporter,
): Promise<Outcome> {
  let underWay: Promise<unknown> | undefined
  try {
    return await time.within((signal) => {
      const begun = begin(signal)
      underWay = begun.catch(() => undefined)
      return begun
    })
  } catch (failure) {
    const { code, detail } = failure instanceof PlatformError ? failure : new PlatformError('internal')
    errors.capture(failure, { sessionId, code })
    const undoAll = async () => {
      for (const done of await Promise.allSettled(undo(code))) {
        if (done.status === 'rejected') errors.capture(done.reason, { sessionId, code: 'internal' })
      }
    }
    if (time.isOver()) {
      // A statement that was under way may have got through all the same.
      void underWay?.then(undoAll)
      await withinDeadline(undoAll, UNDO_MS, time.wait)
    } else {
      await time.within(undoAll).catch(() => undefined)
    }
    throw new PlatformError(code, { ...detail, failedSessionId: sessionId }, { cause: failure })
  }
}

/** From the request to an active session, spoken or typed: all of it, since somebody waits. */
export const BOOTSTRAP_MS = 12_000

/** The time that one start has, whatever it waits for. */
export interface StartTime {
  /** Throws `run_timeout` once the time is up. The work is told to stop then, and its answer is let go. */
  within<Outcome>(work: (signal: AbortSignal) => Promise<Outcome>): Promise<Outcome>
  isOver(): boolean
  readonly wait: Wait
}

export async function inTime<Outcome>(
  wait: Wait,
  start: (time: StartTime) => Promise<Outcome>,
): Promise<Outcome> {
  const waiting = new AbortController()
  let isOver = false
  const timeUp = async () => {
    await wait(BOOTSTRAP_MS, waiting.signal)
    isOver = true
  }
  const over = timeUp()
  try {
    return await start({
      wait,
      isOver: () => isOver,
      async within(work) {
        if (isOver) throw tooLate()
        const outcome = await withinDeadline(work, BOOTSTRAP_MS, () => over)
        if (outcome === 'too late') throw tooLate()
        return outcome
      },
    })
  } finally {
    waiting.abort()
  }
}

const tooLate = () =>
  new PlatformError('run_timeout', {
    message: `The session did not start within ${BOOTSTRAP_MS / 1_000} seconds. Try again.`,
  })
