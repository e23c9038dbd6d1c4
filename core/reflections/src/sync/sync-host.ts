import type { Sha256 } from '../artifacts/content-hash.ts'
import type { RuntimeReader } from '../ports/artifact-store.ts'
import type { SyncStore } from '../ports/sync-store.ts'
import type { VoiceProvider } from '../ports/voice-provider.ts'
import type { AgentSetUp } from './agent-set-up.ts'
import type { ToolKeeper } from './create-tool-keeper.ts'

export interface SyncHost {
  readonly store: SyncStore
  readonly runtime: Pick<RuntimeReader, 'promoted'>
  readonly provider: VoiceProvider
  readonly setUp: AgentSetUp
  /** Where the provider tells of calls that are over, by its own id; null where that is not to be had. */
  readonly webhookId: () => Promise<string | null>
  readonly tools: ToolKeeper
  readonly sha256: Sha256
  /** A hash that nobody can guess the text of, who has not the key. */
  readonly keyedHash: (text: string) => string
  /** ISO 8601. */
  readonly now: () => string
}
