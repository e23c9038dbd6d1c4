import type { PersonId, ReflectionId } from '@parley/contracts'
import type { ReflectionSessionStore } from '../ports/reflection-session-store.ts'
import type { VoiceProvider } from '../ports/voice-provider.ts'
import type { WarningLog } from '../sessions/sessions-host.ts'
import type { AgentCleanup } from '../sync/close-agents.ts'

interface RemoveHost {
  readonly reflections: { remove(reflectionId: ReflectionId, by: PersonId): Promise<void> }
  readonly sessionRows: Pick<ReflectionSessionStore, 'listCalls'>
  /** This and `voice` are absent on a server without a voice provider. */
  readonly agentCleanup?: Pick<AgentCleanup, 'prepareRemoval'> | undefined
  readonly voice?: { readonly provider: Pick<VoiceProvider, 'removeConversation'> } | undefined
  readonly logger: WarningLog
  readonly deadline: (ms: number) => AbortSignal
}

const REMOVE_CALLS_MS = 60_000

/** Removes a reflection and its sessions. The provider's agents and copies of its calls are removed in the background. */
export async function removeReflection(
  reflectionId: ReflectionId,
  by: PersonId,
  { reflections, sessionRows, agentCleanup, voice, logger, deadline }: RemoveHost,
): Promise<void> {
  const calls = voice ? await sessionRows.listCalls(reflectionId) : []
  const removeAgents = await agentCleanup?.prepareRemoval(reflectionId)
  await reflections.remove(reflectionId, by)
  removeAgents?.()
  const signal = deadline(REMOVE_CALLS_MS)
  void (async () => {
    for (const call of calls) {
      await voice?.provider.removeConversation(call, signal).catch((err: unknown) => {
        logger.warn({ err, call, reflectionId }, 'the provider still has a call with a removed reflection')
      })
    }
  })()
}
