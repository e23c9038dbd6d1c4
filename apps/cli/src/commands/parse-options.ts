import { issueInWords, nearest, PlatformError } from '@parley/contracts'
import type { z } from 'zod'

/** A command's options by its schema; what is wrong names the option. */
export function parseOptions<T extends z.ZodType>(
  schema: T,
  options: Readonly<Record<string, unknown>>,
): z.infer<T> {
  const parsed = schema.safeParse(options)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const name = String(issue?.path[0])
  const option = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
  const wrong = issue ? wordsFor(issue, options[name]) : 'is invalid.'
  throw new PlatformError('validation', { message: `The option ${option} ${wrong}`, option })
}

function wordsFor(issue: z.core.$ZodIssue, given: unknown): string {
  if (issue.code !== 'invalid_value') return `${issueInWords(issue)}.`
  const choices = issue.values.map(String)
  const meant = nearest(String(given), choices)
  return `must be one of ${choices.join(', ')}${meant === undefined ? '.' : `; did you mean "${meant}"?`}`
}
