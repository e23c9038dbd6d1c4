import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { z } from 'zod'
import {
  ERROR_TITLE,
  type ErrorCode,
  PlatformError,
  type Problem,
  SessionId,
  formatIssue,
  isProviderErrorCode,
} from '@parley/contracts'

interface ProblemKind {
  readonly status: ContentfulStatusCode
  /** What the caller can do. Used if the failure has no message. */
  readonly fix: string
  /** When a retry may succeed. */
  readonly waitSeconds?: number
}

const SEE_LOG = 'The log of the server has more about this request.'

/** A new error code does not compile without a row. */
const PROBLEM_KINDS: Record<ErrorCode, ProblemKind> = {
  action_not_allowed: { status: 403, fix: 'Use an action of `allowed_actions`.' },
  bind_signature_invalid: {
    status: 401,
    fix: 'Send conversation_id and conversation_bind_sig exactly as the agent got them.',
  },
  conversation_mismatch: {
    status: 409,
    fix: 'Send the provider’s id of the conversation that the session is bound to.',
  },
  dynamic_variables_over_budget: {
    status: 422,
    fix: 'Shorten the names of the reflection and of its namespaces.',
  },
  interview_requires_ingestion: { status: 422, fix: 'Leave out offRecord.' },
  off_record: {
    status: 409,
    fix: 'The session was off the record, so it cannot be read, resumed or exported.',
  },
  public_runtime_not_ready: {
    status: 503,
    fix: 'Publish a namespace, and wait until its artifacts are built.',
    waitSeconds: 5,
  },
  public_runtime_stale: {
    status: 503,
    fix: 'Try again in a moment; an admin can sync it.',
    waitSeconds: 5,
  },
  share_link_invalid: { status: 404, fix: 'Ask the person who sent it for a new link.' },
  transcript_pending: { status: 409, fix: 'Wait until the call is over and its transcript is stored.' },
  transport_unavailable: { status: 422, fix: 'Send transport: "websocket".' },
  voice_clone_required: { status: 409, fix: 'Start a typed session, or ask its owner to choose a voice.' },
  agent_not_found: { status: 404, fix: 'Name an agent of this server, or send your own.' },
  already_running: { status: 409, fix: 'Stop the running one first.' },
  approval_not_pending: {
    status: 409,
    fix: 'Read the session again: the call was decided already, or never needed approval.',
  },
  budget_exceeded: { status: 402, fix: 'Raise the limit, or start a new session.' },
  cancelled: { status: 409, fix: 'Send it again if you still need it.' },
  config_invalid: { status: 500, fix: SEE_LOG },
  content_filter: { status: 422, fix: 'Rephrase the message.' },
  database_unavailable: { status: 503, fix: 'Try again in a moment.', waitSeconds: 5 },
  forbidden: { status: 403, fix: 'Ask the owner of this server for a token with this permission.' },
  history_damaged: { status: 500, fix: SEE_LOG },
  history_disk_full: { status: 507, fix: SEE_LOG },
  history_in_use: { status: 409, fix: SEE_LOG },
  history_key_wrong: { status: 500, fix: SEE_LOG },
  history_read_only: { status: 507, fix: SEE_LOG },
  history_unwritable: { status: 507, fix: SEE_LOG },
  idempotency_conflict: { status: 409, fix: 'Use a new Idempotency-Key for each request.' },
  internal: { status: 500, fix: SEE_LOG },
  method_not_allowed: { status: 405, fix: 'The Allow header lists the allowed methods.' },
  namespace_reserved: { status: 422, fix: 'Use another namespace.' },
  not_found: { status: 404, fix: '/v1/openapi.json lists all endpoints.' },
  nothing_to_continue: { status: 409, fix: 'The last message has an answer. Send a new message.' },
  payload_too_large: { status: 413, fix: 'Send less at once.' },
  preview_outdated: {
    status: 409,
    fix: 'Nothing was changed. Read a new preview, and send its previewHash.',
  },
  provider_auth: { status: 502, fix: SEE_LOG },
  provider_rate_limit: { status: 503, fix: 'Try again in a minute.', waitSeconds: 60 },
  provider_unavailable: { status: 503, fix: 'Try again in a minute.', waitSeconds: 60 },
  rate_limited: { status: 429, fix: 'Wait a moment, and send fewer requests.', waitSeconds: 1 },
  request_in_progress: { status: 409, fix: 'Send it again in a moment.', waitSeconds: 1 },
  request_outcome_unknown: {
    status: 409,
    fix: 'Check whether it was carried out. If not, send it with a new Idempotency-Key.',
  },
  run_timeout: {
    status: 504,
    fix: 'A model or the voice provider did not answer in time. Try again in a moment.',
    waitSeconds: 5,
  },
  sandbox_error: { status: 500, fix: SEE_LOG },
  server_unreachable: { status: 502, fix: 'Try again in a moment.' },
  session_busy: {
    status: 409,
    fix: 'Wait until the turn ends, or cancel it. If it waits for approval, decide.',
  },
  session_ended: { status: 409, fix: 'It can still be read. Fork it to continue with the same past.' },
  patch_not_pending: {
    status: 409,
    fix: 'Read the patch again: it may still be in preparation, or decided already.',
  },
  reflection_not_found: { status: 404, fix: 'Check the id, and that you are a member of the reflection.' },
  reflection_not_ready: { status: 409, fix: 'It is built in the background. Try again in a moment.' },
  source_not_found: { status: 404, fix: 'Check the id. The source may have been removed.' },
  session_not_found: {
    status: 404,
    fix: 'Check the id. The session may be deleted, or belong to another person.',
  },
  tool_denied: { status: 403, fix: 'Allow the tool, or ask for something that does not need it.' },
  tool_failed: { status: 502, fix: 'Try again.' },
  tool_unavailable: { status: 503, fix: SEE_LOG },
  turn_limit: { status: 409, fix: 'Start a new session.' },
  unauthenticated: { status: 401, fix: 'Send your token as "Authorization: Bearer <token>".' },
  unsupported_media_type: { status: 415, fix: 'Send the body as application/json.' },
  validation: { status: 400, fix: '/v1/openapi.json describes each request.' },
}

/** When to retry, from the failure or from its kind; undefined if a retry does not help. */
export function getWaitSeconds(failure: unknown): number | undefined {
  if (!(failure instanceof PlatformError)) return undefined
  const { retryAfterSeconds } = failure.detail
  if (retryAfterSeconds === null) return undefined
  return typeof retryAfterSeconds === 'number' ? retryAfterSeconds : PROBLEM_KINDS[failure.code].waitSeconds
}

/** The reader of a problem: a person of this server, or anybody. */
export type ProblemReader = 'member' | 'visitor'

/** The codes of server failures whose message may be shown to callers. */
const FOR_CALLERS = /^(provider|public_runtime)_/

/** Whether the message may name hosts, settings and answers of a provider. */
const isProviderError = ({ code, detail }: PlatformError) =>
  isProviderErrorCode(code) || detail['isOfProvider'] === true

const FIX_FOR_VISITOR =
  'Try again in a minute. If the problem persists, tell the person who gave you the link.'

/** The response to a failure. The log has the details of server failures, with the request's id. */
export function toProblem(
  failure: unknown,
  requestId: string,
  reader: ProblemReader = 'member',
): Problem & { status: ContentfulStatusCode } {
  const known = failure instanceof PlatformError ? failure : new PlatformError('internal')
  const { status, fix } = PROBLEM_KINDS[known.code]
  const title = ERROR_TITLE[known.code]
  const { message, advice, issues, missing, differs, failedSessionId } = known.detail
  const failedSession = SessionId.safeParse(failedSessionId)
  const isWithheld = reader === 'visitor' && isProviderError(known)
  const isForCaller = !isWithheld && (status < 500 || FOR_CALLERS.test(known.code))
  return {
    type: `urn:parley:problem:${known.code}`,
    title,
    status,
    code: known.code,
    requestId,
    detail:
      message !== undefined && isForCaller ? message : `${title}. ${isWithheld ? FIX_FOR_VISITOR : fix}`,
    // The voice provider's agent reads `message` as an instruction.
    ...(typeof advice === 'string' && { message: advice }),
    ...(failedSession.success && { sessionId: failedSession.data }),
    ...(isIssues(issues) && { issues }),
    ...(isTexts(missing) && { missing }),
    ...(isTexts(differs) && { differs }),
  }
}

function isIssues(value: unknown): value is NonNullable<Problem['issues']> {
  return Array.isArray(value)
}

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string')

/** The error for an invalid request, with the path of each issue. */
export function createValidationError(found: readonly z.core.$ZodIssue[]): PlatformError {
  const issues = found.map((issue) => ({
    path: issue.path.map(String).join('.'),
    message: formatIssue(issue),
  }))
  const message = issues.map(({ path, message: what }) => (path ? `${path}: ${what}` : what)).join('; ')
  return new PlatformError('validation', { message, issues })
}
