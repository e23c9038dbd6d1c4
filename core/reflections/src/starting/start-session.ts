import { type ErrorCode, PlatformError, type SessionId } from '@parley/contracts'
import { type Sessions, type Wait, withinDeadline } from '@parley/engine'
import { resolveSurface } from './session-variables.ts'
import type { SessionPlan } from './plan-session.ts'
import type { ErrorReporter, PlannedSession, SessionStartHost, PublicScopePort } from './starting-host.ts'
import type { ReflectionSessionStore } from '../ports/reflection-session-store.ts'

/** The steps in which a typed and a spoken start differ. */
export interface StartSteps<Answer> {
  /** Creates everything that the session needs before it becomes active. */
  prepare(plan: SessionPlan, signal: AbortSignal): Promise<PreparedStart<Answer>>
  /** Removes everything that `prepare` created, after a failed start. */
  discard(): Promise<unknown>
}

interface PreparedStart<Answer> {
  /** False if the session ended during the start. */
  activate(signal: AbortSignal): Promise<boolean>
  readonly answer: Answer
}

/** Starts a session: store its row, resolve its surface, prepare, activate, check that it is not outdated. */
export function startSession<Answer>(
  session: PlannedSession,
  steps: StartSteps<Answer>,
  host: SessionStartHost,
  time: StartTime,
): Promise<Answer> {
  const { sessionId } = session
  const begin = async (signal: AbortSignal): Promise<Answer> => {
    await openSession(session, host, signal)
    const plan = await resolveSurface(session, host.wait, signal)
    const prepared = await steps.prepare(plan, signal)
    await activateSession({ ...session, plan }, (timed) => prepared.activate(timed), host, signal)
    return prepared.answer
  }
  const undo = (code: ErrorCode) => [
    host.sessionRows.fail(sessionId, code),
    ...(session.plan.audience === 'public' ? [host.scopes.end(sessionId)] : []),
    steps.discard(),
  ]
  return startOrUndo({ sessionId, begin, undo }, time, host.errors)
}

async function openSession(
  { sessionId, reflection, personId, plan, channel, visitor }: PlannedSession,
  { sessionRows, scopes }: SessionStartHost,
  signal: AbortSignal,
): Promise<void> {
  const { mode, audience, surface, role, ingestion, namespaces, isNarrowed } = plan
  const fields = {
    mode,
    sessionAudience: audience,
    surface,
    role,
    ingestion,
    namespaces,
    ...(isNarrowed && { isNarrowed }),
  }
  const row = { sessionId, reflectionId: reflection.id, personId, channel, ...fields }
  const link = visitor && { shareLinkId: visitor.linkId }
  await sessionRows.open({ ...row, ...link, status: 'starting' }, visitor?.tokenHash, signal)
  if (audience === 'public')
    await scopes.create({ sessionId, reflectionId: reflection.id, namespaces }, signal)
}

/** Activates a session, then checks the published namespaces. A later change finds the session among the active ones. */
export async function activateSession(
  { sessionId, reflection, plan }: Pick<PlannedSession, 'sessionId' | 'reflection' | 'plan'>,
  activate: (signal: AbortSignal) => Promise<boolean>,
  { readPublishRevision }: Pick<SessionStartHost, 'readPublishRevision'>,
  signal: AbortSignal,
): Promise<void> {
  const isActive = await activate(signal)
  const isPublic = plan.audience === 'public'
  if (isPublic && (await readPublishRevision(reflection.id, signal)) !== reflection.publishRevision) {
    throw new PlatformError('public_runtime_stale', {
      message: 'The published sources changed while this session started. Try again in a moment.',
      differs: ['the published namespaces'],
    })
  }
  if (isActive) return
  throw new PlatformError('session_ended', {
    sessionId,
    message: 'The session ended while it was starting.',
  })
}

interface UndoableStart<Outcome> {
  readonly sessionId: SessionId
  readonly begin: (signal: AbortSignal) => Promise<Outcome>
  /** Removes everything but the row, which keeps the error code. It may run twice. */
  readonly undo: (code: ErrorCode) => readonly Promise<unknown>[]
}

/** After a timeout the caller waits no longer than this for the undo. */
const UNDO_MS = 250

/** Starts a session in time. A failure is reported, undone and thrown with the session's id. */
async function startOrUndo<Outcome>(
  { sessionId, begin, undo }: UndoableStart<Outcome>,
  time: StartTime,
  errors: ErrorReporter,
): Promise<Outcome> {
  let running: Promise<unknown> | undefined
  try {
    return await time.run((signal) => {
      const begun = begin(signal)
      running = begun.catch(() => undefined)
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
      // A running statement may still have taken effect.
      void running?.then(undoAll)
      await withinDeadline(undoAll, UNDO_MS, time.wait)
    } else {
      await time.run(undoAll).catch(() => undefined)
    }
    throw new PlatformError(code, { ...detail, failedSessionId: sessionId }, { cause: failure })
  }
}

/** The time from the request to an active session, spoken or typed. */
export const BOOTSTRAP_MS = 12_000

/** The time of one start. */
export interface StartTime {
  /** Throws `run_timeout` when the time is up. The work is then aborted and its result dropped. */
  run<Outcome>(work: (signal: AbortSignal) => Promise<Outcome>): Promise<Outcome>
  isOver(): boolean
  readonly wait: Wait
}

/** Runs a start within `BOOTSTRAP_MS`. */
export async function startInTime<Outcome>(
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
      async run(work) {
        if (isOver) throw createStartTimeoutError()
        const outcome = await withinDeadline(work, BOOTSTRAP_MS, () => over)
        if (outcome === 'too late') throw createStartTimeoutError()
        return outcome
      },
    })
  } finally {
    waiting.abort()
  }
}

export const createStartTimeoutError = () =>
  new PlatformError('run_timeout', {
    message: `The session did not start within ${BOOTSTRAP_MS / 1_000} seconds. Try again.`,
  })

interface OverdueHost {
  readonly sessionRows: Pick<ReflectionSessionStore, 'failOverdue'>
  readonly publicScopes: Pick<PublicScopePort, 'end'>
  readonly sessions: Pick<Sessions, 'remove'>
}

/** No start takes so long while its process lives. */
const OVERDUE_MS = 60_000

/** Fails the sessions whose process died during their start. Only their rows stay. */
export async function failOverdueStarts(
  { sessionRows, publicScopes, sessions }: OverdueHost,
  now: number,
): Promise<number> {
  const failed = await sessionRows.failOverdue(new Date(now - OVERDUE_MS).toISOString())
  for (const { sessionId, sessionAudience } of failed) {
    if (sessionAudience === 'public') await publicScopes.end(sessionId)
    await sessions.remove(sessionId).catch((failure: unknown) => {
      if (!(failure instanceof PlatformError && failure.code === 'session_not_found')) throw failure
    })
  }
  return failed.length
}
