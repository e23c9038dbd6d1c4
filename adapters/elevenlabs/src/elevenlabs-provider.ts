import type { VoiceProvider } from '@parley/reflections'
import { agentTestsOf } from './agent-tests.ts'
import { agentsOf } from './agents.ts'
import { createCaller } from './call/caller.ts'
import { conversationsOf } from './conversations.ts'
import { credentialsOf } from './credentials.ts'
import type { ElevenLabsSettings } from './settings.ts'
import { toolsOf } from './tools.ts'
import { voicesOf } from './voices.ts'
import { workspaceOf } from './workspace.ts'

const TEST_RUN_MS = 10 * 60_000

/** ElevenLabs, or what speaks as it does at another address. */
export function elevenLabsProvider(settings: ElevenLabsSettings): VoiceProvider {
  const caller = createCaller(settings)
  return {
    ...agentsOf(caller),
    ...credentialsOf(caller),
    ...conversationsOf(caller),
    ...toolsOf(caller),
    ...workspaceOf(caller),
    ...voicesOf(caller),
    ...agentTestsOf(caller, settings.testRunMs ?? TEST_RUN_MS),
  }
}
