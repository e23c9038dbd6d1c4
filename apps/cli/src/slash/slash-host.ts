import {
  type FsScopeTier,
  PlatformError,
  type SessionCosts,
  type SessionId,
  type ShortenedSession,
  type ToolGrant,
} from '@parley/contracts'
import type { EditText } from '../prompt/prompt.ts'
import type { LastResult } from '../session/read-last-result.ts'
import type { Chat } from '../chat/chat.ts'

/** What slash commands can do in a session. Commands without their part are not offered. */
export interface SlashHost {
  /** The effect of quitting, if the session cannot be resumed. */
  readonly leaving?: string | undefined
  context?(): Promise<ContextReport>
  /** The attached files, oldest first. */
  files?(): Promise<readonly string[]>
  /** Approvals for the rest of the session. */
  grants?(): Promise<readonly ToolGrant[]>
  /** The output of the last tool, if any. */
  lastResult?(): Promise<LastResult | undefined>
  rename?(title: string): Promise<void>
  /** Copies the session into a new one, with the named or the same agent. */
  fork?(named: string | undefined): Promise<ForkReport>
  /** Stops the answer running in another terminal. False if none is running. */
  cancel?(): Promise<boolean>
  models?(): Promise<readonly ModelChoice[]>
  /** Switches the model; earlier messages are copied into a new session. */
  useModel?(named: string): Promise<ModelInUse>
  cost?(): Promise<SessionCosts>
  /** Sends the model a summary of older messages. */
  compact?(): Promise<ShortenedSession>
  /** Sends the model only the last messages. */
  trim?(keep: number): Promise<ShortenedSession>
  /** Exports the session and returns the path; without one, picks a name. */
  export?(path: string | undefined): Promise<{ readonly path: string }>
}

export interface ContextReport {
  /** Absent before the first message. */
  readonly sessionId?: SessionId | undefined
  readonly title?: string | undefined
  readonly agent: string
  readonly model: string
  readonly workingDir: string
  readonly fsScope: FsScopeTier
  readonly tools: readonly string[]
  readonly messages: number
  /** From 0 to 1, of the context window. */
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
  /** A note, such as that its provider does not respond. */
  readonly note?: string | undefined
}

export interface ModelInUse {
  readonly name: string
  /** The new session, if there were messages. */
  readonly sessionId?: SessionId | undefined
}

/** What a slash command gets. */
export interface SlashCall {
  readonly argument: string
  readonly host: SlashHost
  /** Edits a text in the user's editor, if available. */
  readonly edit?: EditText | undefined
  /** Prints a line before a slow step. */
  readonly print: (line: string) => void
  readonly offered: readonly SlashCommand[]
}

export type SlashResult =
  | { readonly kind: 'reply'; readonly lines: readonly string[] }
  /** The draft for the next prompt, and a notice. */
  | { readonly kind: 'draft'; readonly text: string; readonly notice?: string }
  | { readonly kind: 'quit' }

export interface SlashCommand {
  readonly name: string
  readonly also?: string
  readonly argument?: string
  readonly summary: string
  /** The part of the host it needs. */
  readonly needs?: keyof SlashHost | 'edit'
  readonly run: (call: SlashCall) => Promise<SlashResult>
}

export const createReply = (...lines: readonly string[]): SlashResult => ({ kind: 'reply', lines })

/** The current session id. Throws before the first message. */
export function requireSessionId({ sessionId }: Pick<Chat, 'sessionId'>): SessionId {
  if (sessionId) return sessionId
  throw new PlatformError('validation', {
    message: 'This session has no messages yet.',
    fix: 'Send a message first.',
  })
}
