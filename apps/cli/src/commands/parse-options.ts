import { PlatformError } from '@parley/contracts'
import type { z } from 'zod'

/** A command's options by its schema; what is wrong names the option. */
export function parseOptions<T extends z.ZodType>(
  schema: T,
  options: Readonly<Record<string, unknown>>,
): z.infer<T> {
  const parsed = schema.safeParse(options)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const option = `--${String(issue?.path[0])}`
  throw new PlatformError('validation', {
    message: `The option ${option} ${issue?.message ?? 'is invalid'}.`,
    option,
  })
}
