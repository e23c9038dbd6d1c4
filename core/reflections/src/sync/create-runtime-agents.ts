import { PlatformError, type ReflectionId, type AgentSurface } from '@parley/contracts'
import type { RuntimeAgents, ServerAgentKind } from '../ports/runtime-agents.ts'
import { makeServerAgent } from './make-server-agent.ts'
import { surfaceNow } from './surface-now.ts'
import type { SyncHost } from './sync-host.ts'
import { readNow, syncReflectionPublicRuntime, syncReflectionRuntime } from './sync-reflection-runtime.ts'

export interface RuntimeAgentsHost extends SyncHost {
  /** How long a sync may take: others wait for it than who asked first. */
  readonly deadline: () => AbortSignal
  /** Told why a sync failed; who waits is told what differs. */
  readonly onFailed: (failure: unknown) => void
}

/** Who comes while a sync is under way waits for that one, and looks for themselves afterwards. */
export function createRuntimeAgents(host: RuntimeAgentsHost): RuntimeAgents {
  const syncing = new Map<string, Promise<'done' | 'failed'>>()
  const making = new Map<ServerAgentKind, Promise<string>>()

  const syncOnce = (reflectionId: ReflectionId, surface: AgentSurface) =>
    shared(syncing, `${reflectionId} ${surface}`, async () => {
      try {
        await (surface === 'public'
          ? syncReflectionPublicRuntime(reflectionId, host, host.deadline())
          : syncReflectionRuntime(reflectionId, surface, host, host.deadline()))
        return 'done'
      } catch (failure) {
        host.onFailed(failure)
        return 'failed'
      }
    })

  return {
    async ensureFresh(reflectionId, surface, signal) {
      const look = async () => surfaceNow(await readNow(reflectionId, host, signal), surface, host)
      for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
        const { agent, target } = await look()
        if (agent.kind === 'fresh' || !target) return agent
        if ((await unlessCalledOff(syncOnce(reflectionId, surface), signal)) === 'failed') break
      }
      return (await look()).agent
    },

    forget: (...forgotten) => host.store.forget(...forgotten),

    async serverAgent(kind, signal) {
      const made = making.get(kind) ?? makeServerAgent(kind, host, host.deadline())
      making.set(kind, made)
      made.catch(() => making.delete(kind))
      return unlessCalledOff(made, signal)
    },

    async forgetServerAgent(kind, agentId) {
      const made = making.get(kind)
      const isSame = (await made?.catch(() => undefined)) === agentId
      if (isSame && making.get(kind) === made) making.delete(kind)
    },
  }
}

/** The first may have been begun before what is wanted now was promoted. */
const MOST_ATTEMPTS = 2

function shared<Outcome>(
  underWay: Map<string, Promise<Outcome>>,
  key: string,
  begin: () => Promise<Outcome>,
): Promise<Outcome> {
  const known = underWay.get(key)
  if (known) return known
  const begun = begin().finally(() => underWay.delete(key))
  underWay.set(key, begun)
  return begun
}

/** Who does not wait any more leaves; what they waited for goes on for the others. */
function unlessCalledOff<Outcome>(outcome: Promise<Outcome>, signal: AbortSignal): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const leave = () =>
      reject(new PlatformError('cancelled', { message: 'Nobody waits for the agent any more.' }))
    if (signal.aborted) return leave()
    signal.addEventListener('abort', leave, { once: true })
    const done = () => signal.removeEventListener('abort', leave)
    outcome.then(resolve, reject).finally(done)
  })
}
