/** What a failure says to a person. */
export const messageOf = (failure: unknown): string =>
  failure instanceof Error ? failure.message : 'Something went wrong. Load the page again.'
