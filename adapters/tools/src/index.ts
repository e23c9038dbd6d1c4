/** The tools that come with the house, each behind its own guard. */
export { createToolbox, type Toolbox } from './create-toolbox.ts'
export type { ToolPolicy } from './tool-policy.ts'
