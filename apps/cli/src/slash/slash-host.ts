import type { SessionId } from '@parley/contracts'

/** What the commands of a conversation can do. Those whose part is absent are not offered. */
export interface SlashHost {
  /** How things stand. */
  context(): Promise<ContextReport>
  /** The files that were given along so far, oldest first. */
  files(): Promise<readonly string[]>
  rename?(title: string): Promise<void>
  /** Goes on in a new session with the same past, of the agent or model named, or of the same one. */
  fork?(named: string | undefined): Promise<ForkReport>
  /** Stops what another terminal is at in this session. False where nothing is being answered. */
  cancel?(): Promise<boolean>
  models?(): Promise<readonly ModelChoice[]>
  /** Has the next messages answered by this model. */
  useModel?(named: string): Promise<ModelChoice>
  cost?(): Promise<readonly CostOfModel[]>
  /** Puts a summary in place of the older messages, for the model. */
  compact?(): Promise<ShortenReport>
  /** Leaves out all but the last messages, for the model. */
  trim?(keep: number): Promise<ShortenReport>
  /** Writes the conversation to a file and tells its path; without a path it finds a name. */
  export?(path: string | undefined): Promise<{ readonly path: string }>
}

export interface ContextReport {
  /** Absent until something was said. */
  readonly sessionId?: SessionId | undefined
  readonly title?: string | undefined
  readonly agent: string
  readonly model: string
  readonly workingDir: string
  readonly messages: number
  /** From 0 to 1, of what the model can read at once. */
  readonly contextUsed?: number | undefined
}

export interface ForkReport {
  readonly sessionId: SessionId
  readonly from: SessionId
  readonly agent: string
  readonly model: string
}

export interface ModelChoice {
  readonly name: string
  readonly inUse: boolean
}

export interface CostOfModel {
  readonly model: string
  readonly inputTokens: number
  readonly outputTokens: number
  readonly microcents: number
  /** Steps whose price nobody knows. */
  readonly unpricedSteps?: number | undefined
}

export interface ShortenReport {
  readonly messagesBefore: number
  readonly messagesAfter: number
}
