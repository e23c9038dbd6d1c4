import type { PersonId, ReflectionId } from '@parley/contracts'
import type { Services } from '../services.ts'

const REMOVE_MS = 60_000

/** Removes a reflection and the sessions with it; what the provider has of their calls goes in the background. */
export async function removeReflection(
  reflectionId: ReflectionId,
  by: PersonId,
  { reflections, reflectionSessions, voice, logger }: Services,
): Promise<void> {
  const calls = voice ? await reflectionSessions.callsOf(reflectionId) : []
  await reflections.remove(reflectionId, by)
  const signal = AbortSignal.timeout(REMOVE_MS)
  void (async () => {
    for (const call of calls) {
      await voice?.provider.removeConversation(call, signal).catch((err: unknown) => {
        logger.warn({ err, call, reflectionId }, 'the provider keeps a call with a removed reflection')
      })
    }
  })()
}
