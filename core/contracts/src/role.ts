import { z } from 'zod'

/** Highest first: who comes earlier may do all that who comes later may. */
export const Role = z.enum(['owner', 'admin', 'operator', 'viewer', 'guest'])
export type Role = z.infer<typeof Role>
