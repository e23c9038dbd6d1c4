import type { Me } from '@parley/contracts'
import type { Caller } from './authenticate.ts'

/** What somebody is told of who they are. */
export const meOf = ({ personId, role, label, isInvited }: Caller): Me => ({
  personId,
  role,
  label,
  ...(isInvited && { isInvited }),
})
