import { randomFillSync } from 'node:crypto'
import type { Agent, PersonId } from '@parley/contracts'
import type { ModelPort, Sessions, SessionStore } from '@parley/engine'
import type { History } from '@parley/history'
import type { Config } from './config.ts'

/** Whoever uses this machine's history; it has one owner. */
export const LOCAL_PERSON = 'per_local' as PersonId

type Notify = (notice: string) => void

export async function openLocalHistory({ home, historyKey }: Config, onNotice: Notify): Promise<History> {
  const { openHistory } = await import('@parley/history')
  return openHistory({ home, onNotice, ...(historyKey !== undefined && { key: historyKey }) })
}

/** The engine in this process, on the local history. */
export async function openLocalSessions(store: SessionStore, { modelOf }: Models): Promise<Sessions> {
  const { createEventHub, createIdSource, createSessions, noTools } = await import('@parley/engine')
  return createSessions({
    store,
    hub: createEventHub(),
    clock: { now: Date.now },
    ids: createIdSource(randomFillSync),
    modelOf,
    toolsOf: () => noTools,
  })
}

interface Models {
  /** Throws `config_invalid` where nobody provides the agent's model. */
  readonly modelOf: (agent: Agent) => ModelPort
}

export async function loadModels(): Promise<Models> {
  const [{ offlineModel }, { PlatformError }] = await Promise.all([
    import('@parley/llm'),
    import('@parley/contracts'),
  ])
  const models: Readonly<Record<string, ModelPort>> = { offline: offlineModel() }
  return {
    modelOf({ id, provider, model }) {
      const found = models[provider]
      if (found?.modelId === model) return found
      const names = Object.entries(models).map(([name, port]) => `provider: ${name}, model: ${port.modelId}`)
      throw new PlatformError('config_invalid', {
        message: `The agent "${id}" asks for the model "${model}" of the provider "${provider}", which is not to be had here.`,
        mend: `There is ${names.join(' and ')}.`,
        provider,
        model,
      })
    },
  }
}
