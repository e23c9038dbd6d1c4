import type { Patch, Reflection } from '@parley/contracts'
import type { Pages } from '../ui/use-pages.ts'
import type { Rights } from '../app/roles.ts'
import type { SourceInput } from './sources/use-source-input.ts'
import type { Uploads } from './sources/uploads.ts'
import { createRequiredContext } from '../ui/required-context.ts'

/** The open reflection, shared with every page below its frame. */
export interface OpenReflection {
  readonly reflection: Reflection
  readonly rights: Rights
  /** Patches that wait for approval. */
  readonly waiting: Pages<Patch>
  /** Sources being sent to the server. */
  readonly uploads: Uploads
  /** The folder for new sources, and pasted text that has no title yet. */
  readonly sourceInput: SourceInput
}

export const [OpenReflectionContext, useOpenReflection] =
  createRequiredContext<OpenReflection>('OpenReflectionContext')
