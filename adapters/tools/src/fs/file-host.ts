import type { Refusal, ToolSession } from '@parley/engine'
import type { HiddenValues } from './hidden-values.ts'
import type { Scope } from './open-scope.ts'
import type { SeenFiles } from './seen-files.ts'

/** What the file tools of one session share. */
export interface FileHost {
  readonly session: Pick<ToolSession, 'readMedia'>
  readonly seen: SeenFiles
  readonly hidden: HiddenValues
  /** Opened anew for each call: folders come and go while a session lasts. */
  openScope(): Promise<Scope | Refusal>
}

/** What is read or compared of one file, at most. */
export const MOST_BYTES = 10_000_000
