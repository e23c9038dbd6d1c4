/** The built-in tools, each with its own guard. Start reading at create-toolbox.ts. */
export { PROGRAM_VARIABLES } from './command/program-environment.ts'
export { createToolbox, type Toolbox } from './create-toolbox.ts'
export type { ToolPolicy } from './tool-policy.ts'
