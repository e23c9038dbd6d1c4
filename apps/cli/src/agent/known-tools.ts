import { nearest, ToolName } from '@parley/contracts'

const KNOWN: readonly string[] = ToolName.options

export const isKnownTool = (name: string): boolean => KNOWN.includes(name)

/** What is said of a tool that nobody has. */
export function noSuchTool(name: string): string {
  const meant = nearest(name, KNOWN)
  return `there is no tool "${name}"${meant === undefined ? `; known are ${KNOWN.join(', ')}` : `; did you mean "${meant}"?`}`
}
