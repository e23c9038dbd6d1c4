import type { ClientResult } from '../tools-of-agent/client-tool.ts'

/** Brings together the calls that the client carries out and what it says to them. */
export interface ClientResults {
  /** Undefined where nothing comes in time. */
  readonly wait: (callId: string, timeoutMs: number, signal: AbortSignal) => Promise<ClientResult | undefined>
  /** A result that nobody waits for is left aside. */
  readonly give: (callId: string, result: ClientResult) => void
}

export function createClientResults(): ClientResults {
  const waiting = new Map<string, (result: ClientResult) => void>()
  return {
    wait: (callId, timeoutMs, signal) =>
      new Promise((resolve) => {
        const settle = (result: ClientResult | undefined) => {
          clearTimeout(timer)
          signal.removeEventListener('abort', giveUp)
          waiting.delete(callId)
          resolve(result)
        }
        const giveUp = () => settle(undefined)
        const timer = setTimeout(giveUp, timeoutMs)
        if (signal.aborted) giveUp()
        else signal.addEventListener('abort', giveUp)
        waiting.set(callId, settle)
      }),
    give: (callId, result) => waiting.get(callId)?.(result),
  }
}
