import { EXIT } from '../exit-code.ts'

/** By then nobody is left who could end it by force. */
const ALONE_MS = 15_000

/**
 * Settles when the process is asked to end, or the one that started it and keeps a channel to it is gone. Asked again,
 * it goes on ending: what it started has to be stopped.
 */
export function stopSignal(): { readonly asked: Promise<void>; readonly isAsked: () => boolean } {
  const { promise, resolve } = Promise.withResolvers<void>()
  let isAsked = false
  const ask = () => {
    isAsked = true
    resolve()
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, ask)
  if (process.send !== undefined) whenAlone(ask)
  return { asked: promise, isAsked: () => isAsked }
}

function whenAlone(ask: () => void): void {
  const leave = () => {
    setTimeout(() => process.exit(EXIT.failed), ALONE_MS).unref()
    ask()
  }
  // It may be gone before anybody listens.
  if (!process.connected) {
    leave()
    return
  }
  process.once('disconnect', leave)
  // To listen must not keep the process from ending.
  process.channel?.unref()
}
