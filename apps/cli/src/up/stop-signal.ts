/** Settles when the process is asked to end. Asked again, it goes on ending: what it started has to be stopped. */
export function stopSignal(): { readonly asked: Promise<void>; readonly isAsked: () => boolean } {
  const { promise, resolve } = Promise.withResolvers<void>()
  let isAsked = false
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      isAsked = true
      resolve()
    })
  }
  return { asked: promise, isAsked: () => isAsked }
}
