import { z } from 'zod'
import { strictObject } from './strict-object.ts'

/** A browser's page gives its token once, and is known by a cookie from then on. */
export const SignIn = strictObject({ token: z.string().trim().min(8).max(512) })
export type SignIn = z.infer<typeof SignIn>
