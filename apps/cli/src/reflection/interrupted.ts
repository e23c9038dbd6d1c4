/** Aborted by the first Ctrl-C, so that a command can say how things stand; the second ends the process as usual. */
export function interrupted(): AbortSignal {
  const controller = new AbortController()
  process.once('SIGINT', () => controller.abort())
  return controller.signal
}
