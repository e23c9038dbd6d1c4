import type { Edit } from './edit-in-editor.ts'
import type { Confirmation, Offer } from './yes-or-no.ts'

/** Where a person types messages. */
export interface Prompt {
  /** The next message; `undefined` once the person leaves. A draft stands there already, where the prompt can do so. */
  ask(draft?: string): Promise<string | undefined>
  /** The answer to a question of yes, no and what else is offered; what was typed before it was asked is no answer. */
  confirm(question: string, offers?: readonly Offer[]): Promise<Confirmation>
  /** Carries out some work, in which Ctrl-C calls `interrupt` and what is typed waits for the next `ask`. */
  during<T>(work: Promise<T>, interrupt: () => void): Promise<T>
  /** Has a text changed in the person's own editor; absent where there is none. */
  readonly edit?: Edit
  /** Ends a running `ask` or `confirm`, too. */
  close(): void
}
