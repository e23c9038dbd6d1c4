import { z } from 'zod'
import { ErrorCode } from './error-code.ts'
import { SessionId } from './ids.ts'

/** An RFC 9457 problem with our `code`. */
export const Problem = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  code: ErrorCode,
  detail: z.string().optional(),
  /** What an agent is to do about it. */
  message: z.string().optional(),
  instance: z.string().optional(),
  requestId: z.string().optional(),
  /** Of a session that did not start. */
  sessionId: SessionId.optional(),
  issues: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  /** What would have to be there first. */
  missing: z.array(z.string()).optional(),
  /** What is not as it should be. */
  differs: z.array(z.string()).optional(),
})
export type Problem = z.infer<typeof Problem>
