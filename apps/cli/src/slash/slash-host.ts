import {
  type FsScopeTier,
  PlatformError,
  type SessionCosts,
  type SessionId,
  type ShortenedSession,
  type ToolGrant,
} from '@parley/contracts'
import type { Edit } from '../prompt/prompt.ts'
import type { LastResult } from '../session/read-last-result.ts'
import type { Conversation } from '../talk/conversation.ts'

/** What the commands of a session can do. Those whose part is absent are not offered. */
export interface SlashHost {
  /** What becomes of the session when the person leaves, where it is not kept to be gone on with. */
  readonly leaving?: string | undefined
  /** How things stand. */
  context?(): Promise<ContextReport>
  /** The files that were given along so far, oldest first. */
  files?(): Promise<readonly string[]>
  /** What the person has allowed for the rest of the session. */
  grants?(): Promise<readonly ToolGrant[]>
  /** The last thing that a tool said; undefined where none said anything yet. */
  lastResult?(): Promise<LastResult | undefined>
  rename?(title: string): Promise<void>
  /** Goes on in a new session with the same past, of the agent or model named, or of the same one. */
  fork?(named: string | undefined): Promise<ForkReport>
  /** Stops what another terminal is at in this session. False where nothing is being answered. */
  cancel?(): Promise<boolean>
  models?(): Promise<readonly ModelChoice[]>
  /** Has the next messages answered by this model; what was said already goes along into a new session. */
  useModel?(named: string): Promise<ModelInUse>
  cost?(): Promise<SessionCosts>
  /** Puts a summary in place of the older messages, for the model. */
  compact?(): Promise<ShortenedSession>
  /** Leaves out all but the last messages, for the model. */
  trim?(keep: number): Promise<ShortenedSession>
  /** Writes the session to a file and tells its path; without a path it finds a name. */
  export?(path: string | undefined): Promise<{ readonly path: string }>
}

export interface ContextReport {
  /** Absent until something was said. */
  readonly sessionId?: SessionId | undefined
  readonly title?: string | undefined
  readonly agent: string
  readonly model: string
  readonly workingDir: string
  readonly fsScope: FsScopeTier
  /** What the agent can use here. */
  readonly tools: readonly string[]
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
  /** What is to be known of it, such as that its provider does not answer. */
  readonly note?: string | undefined
}

export interface ModelInUse {
  readonly name: string
  /** The new session, where something was said before. */
  readonly sessionId?: SessionId | undefined
}

/** What a command can use. */
export interface SlashCall {
  readonly argument: string
  readonly host: SlashHost
  /** Has a text changed in the person's editor; absent where the terminal has no room for one. */
  readonly edit?: Edit | undefined
  /** Says what takes a while before it is done. */
  readonly say: (line: string) => void
  /** The commands that are offered here. */
  readonly offered: readonly SlashCommand[]
}

export type SlashResult =
  | { readonly kind: 'told'; readonly lines: readonly string[] }
  /** What stands at the next prompt, and what is to be said about it. */
  | { readonly kind: 'draft'; readonly text: string; readonly told?: string }
  | { readonly kind: 'quit' }

export interface SlashCommand {
  readonly name: string
  /** Another name that people try. */
  readonly also?: string
  /** How what comes after the name is written. */
  readonly argument?: string
  readonly summary: string
  /** What it needs beside what is always there. */
  readonly needs?: keyof SlashHost | 'edit'
  readonly run: (call: SlashCall) => Promise<SlashResult>
}

export const told = (...lines: readonly string[]): SlashResult => ({ kind: 'told', lines })

/** The session that is talked in. Throws while nothing was said. */
export function begun({ sessionId }: Pick<Conversation, 'sessionId'>): SessionId {
  if (sessionId) return sessionId
  throw new PlatformError('validation', {
    message: 'Nothing was said in this session yet.',
    mend: 'Say something first.',
  })
}
