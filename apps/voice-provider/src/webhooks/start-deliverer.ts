import type { Delivery, ProviderStore } from '@parley/postgres'
import { deliver } from './deliver.ts'

export interface DelivererHost {
  readonly store: Pick<ProviderStore, 'conversations' | 'deliveries' | 'documents'>
  readonly now: () => number
  readonly onError: (error: unknown) => void
  readonly pace?: Partial<Pace>
}

interface Pace {
  readonly timeoutMs: number
  /** Longer than an attempt can take: until then no other process takes a delivery that this one has. */
  readonly holdMs: number
  /** Between two looks for what is due, where nobody says that something is. */
  readonly lookMs: number
  readonly pausesMs: readonly number[]
}

const USUAL: Pace = {
  timeoutMs: 10_000,
  holdMs: 30_000,
  lookMs: 2_000,
  pausesMs: [5_000, 30_000, 120_000, 600_000, 1_800_000],
}

const MOST_AT_ONCE = 8

export interface Deliverer {
  /** Something may be due. */
  readonly wake: () => void
  /** What is on its way is called off, and left to the next process. */
  readonly stop: () => Promise<void>
}

/** Delivers what is due to webhooks, whichever process left it. */
export function startDeliverer({ store, now, onError, pace }: DelivererHost): Deliverer {
  const { holdMs, lookMs, ...manner } = { ...USUAL, ...pace }
  const stopping = new AbortController()
  const running = new Set<Promise<void>>()
  let isWoken = false
  let rouse: (() => void) | undefined

  const wake = () => {
    isWoken = true
    rouse?.()
  }

  const begin = (delivery: Delivery) => {
    const work = deliver(delivery, { store, now, ...manner, stopping: stopping.signal })
      .catch(onError)
      .finally(() => {
        running.delete(work)
        wake()
      })
    running.add(work)
  }

  const claim = async (): Promise<readonly Delivery[]> => {
    const free = MOST_AT_ONCE - running.size
    if (free === 0) return []
    try {
      return await store.deliveries.claim(free, holdMs)
    } catch (failure) {
      onError(failure)
      return []
    }
  }

  const rest = () =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, lookMs).unref()
      rouse = () => {
        clearTimeout(timer)
        resolve()
      }
    })

  const look = async () => {
    while (!stopping.signal.aborted) {
      isWoken = false
      const claimed = await claim()
      for (const delivery of claimed) begin(delivery)
      if (claimed.length === 0 && !isWoken) await rest()
    }
  }

  const looking = look()
  return {
    wake,
    async stop() {
      stopping.abort()
      wake()
      await looking
      await Promise.all(running)
    },
  }
}
