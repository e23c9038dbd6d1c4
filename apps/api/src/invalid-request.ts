import { issueInWords, PlatformError } from '@parley/contracts'
import type { z } from 'zod'

/** All that is wrong with a request, each with where it stands. */
export function invalidRequest(found: readonly z.core.$ZodIssue[]): PlatformError {
  const issues = found.map((issue) => ({
    path: issue.path.map(String).join('.'),
    message: issueInWords(issue),
  }))
  const message = issues.map(({ path, message: what }) => (path ? `${path}: ${what}` : what)).join('; ')
  return new PlatformError('validation', { message, issues })
}
