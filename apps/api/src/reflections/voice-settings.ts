import type { VoiceProvider } from '@parley/reflections'

/** The voice provider of this server, and the secrets that authenticate its requests. */
export interface VoiceSettings {
  readonly provider: VoiceProvider
  /** The WebSocket origin of the provider's calls, for pages. */
  readonly socketOrigin: string
  /** The URL at which the provider reaches this API. */
  readonly publicUrl: string
  /** The first one signs; all of them verify. */
  readonly bindingSecrets: readonly [string, ...string[]]
  readonly toolSecret: string
  /** The secret of a webhook that was created by hand. Webhooks of our own have another one. */
  readonly webhookSecret?: string
  /** Receives secrets that become known later, to mask them. */
  readonly onSecret?: (secret: string) => void
  /** The generic agent, which takes its persona from variables; created if absent. */
  readonly agentId?: string
  /** The interviewer's agent; created if absent. */
  readonly interviewerAgentId?: string
  /** The voice of reflections that have none. */
  readonly defaultVoiceId: string
}
