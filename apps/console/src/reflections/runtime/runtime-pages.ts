/** The pages of a reflection's runtime, in a part of the bundle of their own. */
export { AgentsPage } from './agents/agents-page.tsx'
export { GenerationPage } from './ledger/generation-page.tsx'
export { LedgerPage } from './ledger/ledger-page.tsx'
export { RuntimeFrame } from './runtime-frame.tsx'
export { VariablesPage } from './variables/variables-page.tsx'
