import { PlatformError, type SessionId } from '@parley/contracts'

/** Why a session did not start, with its id, by which its row can be read. */
export function failureOfStart(failure: unknown, failedSessionId: SessionId): PlatformError {
  const { code, detail } = failure instanceof PlatformError ? failure : new PlatformError('internal')
  return new PlatformError(code, { ...detail, failedSessionId }, { cause: failure })
}
