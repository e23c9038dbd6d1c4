import type { ConversationConfig } from './conversation-config.ts'
import type { PlatformSettings } from './platform-settings.ts'

export type { ToolDocument } from './tool-document.ts'

/** An agent as its workspace keeps it: what stands on the wire keeps the wire's names. */
export interface AgentDocument {
  readonly agentId: string
  readonly branchId: string
  readonly versionId: string
  readonly name: string
  readonly tags: readonly string[]
  readonly conversation_config: ConversationConfig
  readonly platform_settings: PlatformSettings
  readonly workflow?: unknown
  readonly createdAtUnixSecs: number
  readonly updatedAtUnixSecs: number
}
