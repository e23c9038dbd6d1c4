/** The runtime pages of a reflection, in one lazy-loaded chunk. */
export { AgentsPage } from './agents/agents-page.tsx'
export { GenerationPage } from './ledger/generation-page.tsx'
export { VersionHistoryPage } from './ledger/ledger-page.tsx'
export { RuntimeFrame } from './runtime-frame.tsx'
export { VariablesPage } from './variables/variables-page.tsx'
