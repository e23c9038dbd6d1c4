import { PlatformError } from '@parley/contracts'

/** Another holds the lease, or holds it by now. */
export const isBusy = (failure: unknown): boolean =>
  failure instanceof PlatformError && failure.code === 'session_busy'
