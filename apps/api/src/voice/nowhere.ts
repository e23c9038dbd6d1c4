import type { SessionContext } from '@parley/contracts'

/** A reflection works in no folder, and who reads the events need not know of one. */
export const NOWHERE: SessionContext = { workingDir: '.', fsScopeTier: 'sandboxed' }
