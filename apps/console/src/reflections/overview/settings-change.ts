import type { ChangeReflection } from '@parley/contracts'

/** What is sent of a form: only what was edited there, since somebody else may have changed the rest. */
export const settingsChange = (edited: ChangeReflection): ChangeReflection =>
  edited.creatorName?.trim() === '' ? { ...edited, creatorName: null } : edited
