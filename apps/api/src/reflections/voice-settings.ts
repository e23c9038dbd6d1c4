import type { VoiceProvider } from '@parley/reflections'

/** How spoken sessions reach their provider, and how what comes back is known to be its. */
export interface VoiceSettings {
  readonly provider: VoiceProvider
  /** Where a page reaches the provider's calls: an origin of WebSockets. */
  readonly socketOrigin: string
  /** Where the provider reaches this API. */
  readonly publicUrl: string
  /** The one to sign with first, then those that are still good. */
  readonly bindingSecrets: readonly [string, ...string[]]
  readonly toolSecret: string
  /** Of a webhook that was made by hand; what the provider tells of one that we make counts beside it. */
  readonly webhookSecret?: string
  /** Receives each secret that becomes known later, so that it is masked too. */
  readonly onSecret?: (secret: string) => void
  /** An agent that takes its persona from variables; created if absent. */
  readonly agentId?: string
  /** The same for who interviews. */
  readonly interviewerAgentId?: string
  /** Of who speaks with a reflection that has no other. */
  readonly defaultVoiceId: string
}
