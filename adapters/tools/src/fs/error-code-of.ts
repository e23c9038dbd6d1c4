/** The system's name for what went wrong, such as ENOENT. */
export const errorCodeOf = (failure: unknown): string =>
  typeof failure === 'object' && failure !== null && 'code' in failure ? String(failure.code) : ''
