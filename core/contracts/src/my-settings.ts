import { z } from 'zod'
import { strictObject } from './strict-object.ts'

/** What the console remembers of a person, wherever they sign in. */
export const MySettings = strictObject({
  /** How they met the tour: it is shown once. */
  tour: z.enum(['due', 'skipped', 'done']),
})
export type MySettings = z.infer<typeof MySettings>
