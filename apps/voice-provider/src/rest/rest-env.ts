import type { Logger } from 'pino'
import type { Json } from '@parley/contracts'
import type { ProviderStore } from '@parley/postgres'
import type { AgentDocument } from '../agents/agent-document.ts'
import type { AgentStore } from '../agents/agent-store.ts'
import type { Faults } from '../faults.ts'

export interface RestEnv {
  Variables: { requestId: string }
}

/** A voice of the local speech. */
export interface LocalVoice {
  readonly voiceId: string
  readonly name: string
  readonly description: string
}

/** A request to run tests of an agent. */
export interface TestRequest {
  readonly tests: readonly {
    readonly test_id: string
    readonly workflow_node_id?: string | null | undefined
  }[]
  readonly agent_config_override?: unknown
  readonly repeat_count: number
}

/** Starts tests and returns the vendor's answer. Stores the invocation as a `test_invocation` document. */
export type RunTests = (agent: AgentDocument, request: TestRequest) => Promise<Readonly<Record<string, Json>>>

/** Services for the routes. */
export interface RestServices {
  readonly store: ProviderStore
  readonly agents: AgentStore
  readonly faults: Faults
  readonly apiKey: string
  /** Host names besides localhost that clients may use. */
  readonly hosts: readonly string[]
  readonly voices: readonly LocalVoice[]
  readonly runTests: RunTests
  readonly logger: Logger
  readonly now: () => number
  /** Called when a client is about to call. */
  readonly onCallExpected: () => void
}

/** The only local user, who may do everything. */
export const ACCESS_INFO = {
  is_creator: true,
  creator_name: 'Local',
  creator_email: 'local@localhost',
  role: 'admin',
} as const
