import { randomFillSync } from 'node:crypto'
import { type Agent, type PersonId, PlatformError } from '@parley/contracts'
import type { ModelPort, SessionLimits, Sessions, SessionStore } from '@parley/engine'
import type { History } from '@parley/history'
import type { Providers, ProviderSettings } from '@parley/llm'
import type { Config } from './config.ts'

/** Whoever uses this machine's history; it has one owner. */
export const LOCAL_PERSON = 'per_local' as PersonId

type Notify = (notice: string) => void

export async function openLocalHistory({ home, historyKey }: Config, onNotice: Notify): Promise<History> {
  const { openHistory } = await import('@parley/history')
  return openHistory({ home, onNotice, ...(historyKey !== undefined && { key: historyKey }) })
}

/** The engine in this process, on the local history. */
export async function openLocalSessions(
  store: SessionStore,
  { modelOf }: Pick<Models, 'modelOf'>,
  limits: Partial<SessionLimits> = {},
): Promise<Sessions> {
  const { createEventHub, createIdSource, createSessions, noTools } = await import('@parley/engine')
  return createSessions({
    store,
    hub: createEventHub(),
    clock: { now: Date.now },
    ids: createIdSource(randomFillSync),
    modelOf,
    toolsOf: () => noTools,
    limits,
  })
}

export interface Models extends Pick<Providers, 'listModels'> {
  /** Throws `config_invalid` where nobody provides the agent's model. */
  readonly modelOf: (agent: Agent) => ModelPort
}

/** The models of these providers; what a vendor's own library brings is loaded when it is first asked. */
export async function loadModels(settings: readonly ProviderSettings[] = OFFLINE_ALONE): Promise<Models> {
  const { createProviders } = await import('@parley/llm')
  const providers = createProviders(settings)
  return {
    listModels: (provider, signal) => providers.listModels(provider, signal),
    modelOf(agent) {
      const { provider, model, retry } = agent
      try {
        const found = providers.modelOf(provider, model, retry && { maxAttempts: retry.max_attempts })
        if (found.modelId === model) return found
      } catch (failure) {
        throw failure instanceof PlatformError ? notToBeHad(agent, failure.message) : failure
      }
      throw notToBeHad(agent, `The provider ${provider} has one model: ${provider}/offline.`)
    },
  }
}

const OFFLINE_ALONE: readonly ProviderSettings[] = [{ name: 'offline', kind: 'offline' }]

const notToBeHad = ({ id, provider, model }: Agent, why: string) =>
  new PlatformError('config_invalid', {
    message: `The agent "${id}" asks for ${provider}/${model}, which is not to be had here. ${sentence(why)}`,
    mend: '`parley providers` lists what you have, `parley providers add` adds one.',
    provider,
    model,
  })

const sentence = (text: string): string => text.replace(/[^.?!]$/, '$&.')
