/** Settles when the process is asked to end. Asked a second time, it ends at once. */
export function stopSignal(): { readonly asked: Promise<void>; readonly isAsked: () => boolean } {
  const { promise, resolve } = Promise.withResolvers<void>()
  let count = 0
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      count += 1
      if (count > 1) process.exit(1)
      resolve()
    })
  }
  return { asked: promise, isAsked: () => count > 0 }
}
