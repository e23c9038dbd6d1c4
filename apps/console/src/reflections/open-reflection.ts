import type { Patch, Reflection } from '@parley/contracts'
import { createContext, use } from 'react'
import type { Pages } from '../ui/use-pages.ts'
import type { Rights } from './rights-of.ts'
import type { Giving } from './sources/use-source-input.ts'
import type { Uploads } from './sources/uploads.ts'

/** The reflection that is open, for all of its parts. */
export interface OpenReflection {
  readonly reflection: Reflection
  readonly rights: Rights
  /** Patches that a person has to decide on. */
  readonly waiting: Pages<Patch>
  /** What is on its way to become a source. */
  readonly uploads: Uploads
  /** Where the next sources go, and what was pasted to become one. */
  readonly giving: Giving
}

export const OpenReflectionContext = createContext<OpenReflection | undefined>(undefined)

export function useOpenReflection(): OpenReflection {
  const open = use(OpenReflectionContext)
  if (!open) throw new Error('This part of the page belongs to an open reflection.')
  return open
}
