import type { Edit } from '../prompt/edit-in-editor.ts'
import type { SlashHost } from './slash-host.ts'

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
