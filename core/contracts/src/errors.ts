import { z } from 'zod'
import { SessionId } from './ids.ts'

/** Why a turn or a run failed. Closed: clients match on it. */
export const TurnErrorCode = z.enum([
  'validation',
  'content_filter',
  'provider_auth',
  'provider_rate_limit',
  'provider_unavailable',
  'tool_denied',
  'tool_failed',
  'tool_unavailable',
  'budget_exceeded',
  'run_timeout',
  'turn_limit',
  'cancelled',
  'sandbox_error',
  'session_busy',
  'internal',
])
export type TurnErrorCode = z.infer<typeof TurnErrorCode>

/** All codes that callers may branch on. */
export const ErrorCode = z.enum([
  ...TurnErrorCode.options,
  'action_not_allowed',
  'agent_not_found',
  'already_running',
  'approval_not_pending',
  'bind_signature_invalid',
  'config_invalid',
  'conversation_mismatch',
  'database_unavailable',
  'dynamic_variables_over_budget',
  'forbidden',
  'history_damaged',
  'history_disk_full',
  'history_in_use',
  'history_key_wrong',
  'history_read_only',
  'history_unwritable',
  'idempotency_conflict',
  'interview_requires_ingestion',
  'method_not_allowed',
  'namespace_reserved',
  'not_found',
  'nothing_to_continue',
  'off_record',
  'patch_not_pending',
  'payload_too_large',
  'preview_outdated',
  'public_runtime_not_ready',
  'public_runtime_stale',
  'rate_limited',
  'reflection_not_found',
  'reflection_not_ready',
  'request_in_progress',
  'request_outcome_unknown',
  'server_unreachable',
  'session_ended',
  'session_not_found',
  'share_link_invalid',
  'source_not_found',
  'transcript_pending',
  'transport_unavailable',
  'unauthenticated',
  'unsupported_media_type',
  'voice_clone_required',
])
export type ErrorCode = z.infer<typeof ErrorCode>

/** Whether the error is a provider's. Its message may name hosts, settings and answers of the provider. */
export const isProviderErrorCode = (code: string): boolean => code.startsWith('provider_')

/** Names and ids that help to fix the error; never a secret. `message` is a sentence for a person. */
export type ErrorDetail = Readonly<Record<string, unknown>> & { readonly message?: string }

export class PlatformError extends Error {
  override readonly name = 'PlatformError'
  readonly code: ErrorCode
  readonly detail: ErrorDetail
  constructor(code: ErrorCode, detail: ErrorDetail = {}, options?: ErrorOptions) {
    super(detail.message ?? code, options)
    this.code = code
    this.detail = detail
  }
}

/** An RFC 9457 problem with our `code`. */
export const Problem = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  code: ErrorCode,
  detail: z.string(),
  /** What the agent that called should do. */
  message: z.string().optional(),
  instance: z.string().optional(),
  requestId: z.string(),
  /** The session that failed to start. */
  sessionId: SessionId.optional(),
  issues: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  /** The missing prerequisites. */
  missing: z.array(z.string()).optional(),
  /** What differs from the expected state. */
  differs: z.array(z.string()).optional(),
})
export type Problem = z.infer<typeof Problem>
