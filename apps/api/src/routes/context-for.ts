import { FsScopeTier, PlatformError, type SessionContext, type StartSession } from '@parley/contracts'
import type { Caller } from '../auth/authenticate.ts'

/** The context of a new session. Where it works, and how far it reaches, is for the server's owner to say, within its config. */
export function contextFor(
  asked: StartSession['context'],
  caller: Caller,
  standing: SessionContext,
  widest: FsScopeTier,
): SessionContext {
  if (!asked) return standing
  const reachesOut = asked.workingDir !== undefined || asked.fsScopeTier !== standing.fsScopeTier
  if (reachesOut && caller.role !== 'owner') {
    throw new PlatformError('forbidden', {
      message: 'Only the owner may set context.workingDir and context.fsScopeTier.',
    })
  }
  return {
    ...standing,
    ...asked,
    workingDir: asked.workingDir ?? standing.workingDir,
    fsScopeTier: narrower(asked.fsScopeTier, widest),
  }
}

const narrower = (asked: FsScopeTier, widest: FsScopeTier): FsScopeTier =>
  FsScopeTier.options.indexOf(asked) < FsScopeTier.options.indexOf(widest) ? asked : widest
