import { PlatformError, type SessionId } from '@parley/contracts'
import { type Sessions, type Wait, withinDeadline } from '@parley/engine'
import type { ReflectionSessionStore } from '../ports/reflection-session-store.ts'
import { type SessionPlan, chooseSurface } from './plan-session.ts'
import type { PromptInputs } from './prompt-inputs.ts'
import { EXTRAS_MS } from './session-variables.ts'
import type { PlannedSession, PublicScopePort, StartHost } from './starting-host.ts'

interface StartSteps<Outcome> {
  readonly begin: (signal: AbortSignal) => Promise<Outcome>
  /** Removes everything that `begin` created, except the row and the scope. It may run twice. */
  readonly discard: () => Promise<unknown>
}

/** After a timeout the caller waits no longer than this for the undo. */
const UNDO_MS = 250

/** Starts a session in time. A failure is reported, undone and thrown with the session's id. Only the row stays, with the error code. */
export async function startOrUndo<Outcome>(
  { sessionId, plan }: Pick<PlannedSession, 'sessionId' | 'plan'>,
  { begin, discard }: StartSteps<Outcome>,
  { sessionRows, publicScopes, errors }: StartHost,
  time: StartTime,
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
    const undo = async () => {
      const undone = await Promise.allSettled([
        sessionRows.fail(sessionId, code),
        ...(plan.audience === 'public' ? [publicScopes.end(sessionId)] : []),
        discard(),
      ])
      for (const done of undone) {
        if (done.status === 'rejected') errors.capture(done.reason, { sessionId, code: 'internal' })
      }
    }
    if (time.isOver()) {
      // A running statement may still have taken effect.
      void running?.then(undo)
      await withinDeadline(undo, UNDO_MS, time.wait)
    } else {
      await time.run(undo).catch(() => undefined)
    }
    throw new PlatformError(code, { ...detail, failedSessionId: sessionId }, { cause: failure })
  }
}

/** Stores the session's row and its public scope. Returns the plan with its final surface. */
export async function openSession(
  { sessionId, reflection, personId, plan, channel, visitor, inputs }: PlannedSession,
  { sessionRows, publicScopes, wait }: StartHost,
  signal: AbortSignal,
): Promise<SessionPlan> {
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
    await publicScopes.create({ sessionId, reflectionId: reflection.id, namespaces }, signal)
  return resolveSurface(plan, inputs, wait, signal)
}

/** The plan with its surface: `memory` for a returning person, if their earlier sessions can be read in time. */
async function resolveSurface(
  plan: SessionPlan,
  { hasEarlierSessions }: Pick<PromptInputs, 'hasEarlierSessions'>,
  wait: Wait,
  signal: AbortSignal,
): Promise<SessionPlan> {
  if (plan.audience === 'public') return plan
  const hasEarlier = await withinDeadline(hasEarlierSessions, EXTRAS_MS, wait, signal).catch(
    () => 'failed' as const,
  )
  return { ...plan, surface: chooseSurface({ audience: plan.audience, hasEarlier: hasEarlier === true }) }
}

/**
 * Call it with the result of the activation. Throws if the session had ended, or if the published namespaces changed during
 * the start. A later change finds the session among the active ones.
 */
export async function confirmActive(
  isActive: boolean,
  { sessionId, reflection, plan }: Pick<PlannedSession, 'sessionId' | 'reflection' | 'plan'>,
  { reflections }: Pick<StartHost, 'reflections'>,
  signal: AbortSignal,
): Promise<void> {
  const isPublic = plan.audience === 'public'
  const current = isPublic ? await reflections.find(reflection.id, signal) : undefined
  if (isPublic && current?.publishRevision !== reflection.publishRevision) {
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
    await removeIfStored(sessionId, sessions)
  }
  return failed.length
}

/** Removes a session that a failed start may have stored. */
export const removeIfStored = (sessionId: SessionId, sessions: Pick<Sessions, 'remove'>): Promise<void> =>
  sessions.remove(sessionId).catch((failure: unknown) => {
    if (!(failure instanceof PlatformError && failure.code === 'session_not_found')) throw failure
  })
