import { type ErrorCode, PlatformError, type Problem } from '@parley/contracts'
import type { ContentfulStatusCode } from 'hono/utils/http-status'

interface Kind {
  readonly status: ContentfulStatusCode
  readonly title: string
}

/** A new code does not compile until it has its status. */
const KINDS: Record<ErrorCode, Kind> = {
  agent_not_found: { status: 404, title: 'No such agent' },
  already_running: { status: 409, title: 'Already running' },
  approval_not_pending: { status: 409, title: 'Nothing waits for this decision' },
  budget_exceeded: { status: 402, title: 'Over budget' },
  cancelled: { status: 409, title: 'Cancelled' },
  config_invalid: { status: 500, title: 'Badly configured' },
  content_filter: { status: 422, title: 'Refused by the content filter' },
  context_too_long: { status: 422, title: 'Too long for the model' },
  database_unavailable: { status: 503, title: 'The database does not answer' },
  forbidden: { status: 403, title: 'Not allowed' },
  history_damaged: { status: 500, title: 'The history is damaged' },
  history_disk_full: { status: 507, title: 'The disk of the history is full' },
  history_in_use: { status: 409, title: 'The history is open elsewhere' },
  history_key_wrong: { status: 500, title: 'The history has another key' },
  history_read_only: { status: 507, title: 'The history can only be read' },
  history_unwritable: { status: 507, title: 'The history cannot be written' },
  idempotency_conflict: { status: 409, title: 'The key was used for something else' },
  internal: { status: 500, title: 'Something went wrong inside Parley' },
  method_not_allowed: { status: 405, title: 'No such method here' },
  not_found: { status: 404, title: 'Nothing here' },
  nothing_to_continue: { status: 409, title: 'Nothing to go on with' },
  payload_too_large: { status: 413, title: 'Too large' },
  provider_auth: { status: 502, title: 'The provider refused our key' },
  provider_rate_limit: { status: 503, title: 'The provider is at its limit' },
  provider_unavailable: { status: 503, title: 'The provider does not answer' },
  rate_limited: { status: 429, title: 'Too many requests' },
  run_timeout: { status: 504, title: 'Took too long' },
  sandbox_error: { status: 500, title: 'The sandbox failed' },
  server_unreachable: { status: 502, title: 'The server cannot be reached' },
  session_busy: { status: 409, title: 'The session is busy' },
  session_ended: { status: 409, title: 'The session has ended' },
  session_not_found: { status: 404, title: 'No such session' },
  tool_denied: { status: 403, title: 'The tool was denied' },
  tool_failed: { status: 502, title: 'The tool failed' },
  tool_unavailable: { status: 503, title: 'The tool is not available' },
  turn_limit: { status: 409, title: 'No turns left' },
  unauthenticated: { status: 401, title: 'Who are you?' },
  unsupported_media_type: { status: 415, title: 'Not JSON' },
  validation: { status: 400, title: 'The request is not valid' },
}

/** What a caller is told of a failure. What is wrong with the server is for its log, which has the request's id. */
export function problemOf(failure: unknown, requestId: string): Problem & { status: ContentfulStatusCode } {
  const known = failure instanceof PlatformError ? failure : new PlatformError('internal')
  const { status, title } = KINDS[known.code]
  const { message, issues } = known.detail
  return {
    type: `urn:parley:problem:${known.code}`,
    title,
    status,
    code: known.code,
    requestId,
    ...(message !== undefined && (status < 500 || known.code.startsWith('provider_')) && { detail: message }),
    ...(isIssues(issues) && { issues }),
  }
}

function isIssues(value: unknown): value is NonNullable<Problem['issues']> {
  return Array.isArray(value)
}
