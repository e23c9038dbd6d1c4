import { z } from 'zod'

/** Why a turn or a run ended badly. Closed: others read it. */
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

/** Every code that a caller may branch on. */
export const ErrorCode = z.enum([
  ...TurnErrorCode.options,
  'agent_not_found',
  'already_running',
  'approval_not_pending',
  'config_invalid',
  'database_unavailable',
  'forbidden',
  'history_damaged',
  'history_disk_full',
  'history_in_use',
  'history_key_wrong',
  'history_read_only',
  'history_unwritable',
  'idempotency_conflict',
  'method_not_allowed',
  'namespace_reserved',
  'not_found',
  'nothing_to_continue',
  'payload_too_large',
  'patch_not_pending',
  'rate_limited',
  'reflection_not_found',
  'server_unreachable',
  'session_ended',
  'session_not_found',
  'source_not_found',
  'unauthenticated',
  'unsupported_media_type',
])
export type ErrorCode = z.infer<typeof ErrorCode>
