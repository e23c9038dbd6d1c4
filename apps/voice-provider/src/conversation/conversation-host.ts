import type { ModelPort } from '@parley/engine'
import type { Speech } from '@parley/speech'
import type { AgentDocument, ToolDocument } from '../agents/agent-document.ts'
import type { ConversationRecord } from './conversation-record.ts'
import type { Faults } from '../faults/faults.ts'

/** What a conversation needs of the provider around it. */
export interface ConversationHost {
  readonly findTools: (ids: readonly string[]) => Promise<readonly ToolDocument[]>
  readonly secretValue: (secretId: string) => Promise<string | undefined>
  /** What an environment variable of the workspace says in one environment. */
  readonly environmentValue: (label: string, environment: string) => Promise<string | undefined>
  /** The model that an agent names, where the machine has its key; the offline one otherwise. */
  readonly modelFor: (agent: AgentDocument) => Promise<ModelPort>
  readonly speech: Speech
  readonly faults: Faults
  /** Keeps the conversation as it is now; whatever dies afterwards, so far it is known. */
  readonly save: (record: ConversationRecord) => Promise<void>
  /** Keeps its end and its audio, and lets the webhooks know. */
  readonly finish: (record: ConversationRecord, audio: Uint8Array | undefined) => Promise<void>
  readonly now: () => number
  /** What went wrong on our side and ended, or only troubled, a conversation. */
  readonly onError: (error: unknown) => void
}
