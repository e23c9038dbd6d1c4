/** The error message to show. */
export const messageOf = (failure: unknown): string =>
  failure instanceof Error ? failure.message : 'Something went wrong. Reload the page.'
