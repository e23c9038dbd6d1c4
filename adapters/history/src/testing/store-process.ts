import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { type ErrorCode, PlatformError } from '@parley/contracts'
import type { SessionStore } from '@parley/engine'
import { onTestFinished } from 'vitest'

export interface StoreCall {
  readonly id: number
  readonly method: Exclude<keyof SessionStore, 'watchCancel'>
  readonly values: readonly unknown[]
}

export type StoreAnswer = { readonly id: number } & (
  | { readonly kind: 'done'; readonly result: unknown }
  | { readonly kind: 'failed'; readonly code: ErrorCode; readonly detail: PlatformError['detail'] }
)

const PROGRAM = fileURLToPath(new URL('run-store-process.ts', import.meta.url))

/** The store of another process on the same history, without its watches. */
export async function startStoreProcess(
  home: string,
  key: string,
): Promise<{ store: SessionStore; die: () => Promise<void> }> {
  const child = fork(PROGRAM, [home, key], { serialization: 'advanced' })
  onTestFinished(() => void child.kill('SIGKILL'))
  const waiting = new Map<number, (answer: StoreAnswer) => void>()
  child.on('message', (answer: StoreAnswer) => {
    waiting.get(answer.id)?.(answer)
    waiting.delete(answer.id)
  })

  let calls = 0
  const ask = async (method: StoreCall['method'], values: readonly unknown[]): Promise<unknown> => {
    const id = (calls += 1)
    const answer = await new Promise<StoreAnswer>((resolve) => {
      waiting.set(id, resolve)
      child.send({ id, method, values } satisfies StoreCall)
    })
    if (answer.kind === 'failed') throw new PlatformError(answer.code, answer.detail)
    return answer.result
  }

  return {
    store: new Proxy({} as SessionStore, {
      get:
        (_, method: StoreCall['method']) =>
        (...values: unknown[]) =>
          ask(method, values),
    }),
    async die() {
      const exited = once(child, 'exit')
      child.kill('SIGKILL')
      await exited
    },
  }
}
