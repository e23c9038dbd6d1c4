import { z } from 'zod'

const MOST = 10_000
const A_COUNT = `must be a whole number from 1 to ${MOST}`

/** How many to list. */
export const LimitOption = z
  .string()
  .regex(/^\d+$/, A_COUNT)
  .transform(Number)
  .refine((limit) => limit >= 1 && limit <= MOST, A_COUNT)
  .default(50)
