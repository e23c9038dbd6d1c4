import { type ErrorCode, PlatformError } from '@parley/contracts'

export const getErrorMessage = (failure: unknown): string =>
  failure instanceof Error ? failure.message : 'Something went wrong. Reload the page.'

/** Whether the server refused for one of these reasons. */
export const hasErrorCode = (failure: unknown, ...codes: readonly ErrorCode[]): boolean =>
  failure instanceof PlatformError && codes.includes(failure.code)
