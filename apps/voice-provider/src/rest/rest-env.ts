import type { Logger } from 'pino'
import type { Json } from '@parley/contracts'
import type { ProviderStore } from '@parley/postgres'
import type { AgentDocument } from '../agents/agent-document.ts'
import type { Agents } from '../agents/agents.ts'
import type { Faults } from '../faults.ts'

export interface RestEnv {
  Variables: { requestId: string }
}

/** A voice that can be spoken with here. */
export interface LocalVoice {
  readonly voiceId: string
  readonly name: string
  readonly description: string
}

/** What tests of an agent were asked to be run. */
export interface TestRequest {
  readonly tests: readonly {
    readonly test_id: string
    readonly workflow_node_id?: string | null | undefined
  }[]
  readonly agent_config_override?: unknown
  readonly repeat_count: number
}

/** Begins to run tests, and answers as the vendor does; keeps the invocation as a document of kind `test_invocation`. */
export type RunTests = (agent: AgentDocument, request: TestRequest) => Promise<Readonly<Record<string, Json>>>

/** What the routes work with. */
export interface RestServices {
  readonly store: ProviderStore
  readonly agents: Agents
  readonly faults: Faults
  readonly apiKey: string
  /** Names besides localhost by which the server may be called. */
  readonly hosts: readonly string[]
  readonly voices: readonly LocalVoice[]
  readonly runTests: RunTests
  readonly logger: Logger
  readonly now: () => number
  /** Told that somebody is about to call. */
  readonly onAwaited: () => void
}

/** There is one person here, and they may do everything. */
export const ACCESS_INFO = {
  is_creator: true,
  creator_name: 'Local',
  creator_email: 'local@localhost',
  role: 'admin',
} as const

export const seconds = (date: Date): number => Math.floor(date.getTime() / 1000)
