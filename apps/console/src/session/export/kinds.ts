import type { WorkflowNode } from '@parley/contracts'

/** What the kinds of nodes are called. */
export const KINDS: Readonly<Record<WorkflowNode['type'], string>> = {
  input: 'begins here',
  agent: 'an agent answers',
  human_gate: 'a person decides',
  condition: 'chooses a way',
  transform: 'reshapes',
  parallel: 'goes several ways',
  merge: 'brings together',
  output: 'ends here',
}
