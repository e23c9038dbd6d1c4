/** What went wrong with a job: the queue keeps an error as an object with its message, and what it says itself as a text. */
export function problemOf(output: unknown): string {
  if (!isRecord(output)) return UNKNOWN
  const { message, value } = output
  if (typeof message === 'string') return message
  return isRecord(value) && typeof value['message'] === 'string' ? value['message'] : UNKNOWN
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

const UNKNOWN = 'The worker that had it died each time it was tried. Look into the log of the worker.'
