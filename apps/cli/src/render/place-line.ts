import { type FsScopeTier, ToolName } from '@parley/contracts'

/** Where an agent works, and with what. */
export interface Place {
  readonly workingDir: string
  readonly fsScope: FsScopeTier
  readonly tools: readonly string[]
}

/** In one line: the folder, how far files are reached from it, and which tools there are. */
export const placeLine = ({ workingDir, fsScope, tools }: Place): string =>
  [workingDir, fsScope, toolsText(tools)].join(' · ')

function toolsText(tools: readonly string[]): string {
  if (tools.length === 0) return 'no tools'
  if (ToolName.options.every((name) => tools.includes(name))) return 'all tools'
  const whole = GROUPS.filter(({ names }) => names.every((name) => tools.includes(name)))
  const others = tools.filter((tool) => !whole.some(({ names }) => names.some((name) => name === tool)))
  return `tools: ${[...whole.map(({ group }) => group), ...others].join(', ')}`
}

/** What is said in one word where all of it is there. */
const GROUPS: readonly { readonly group: string; readonly names: readonly ToolName[] }[] = [
  { group: 'files', names: ['read_file', 'write_file', 'edit_file', 'list_directory', 'search_files'] },
  { group: 'git', names: ['git_status', 'git_commit'] },
]
