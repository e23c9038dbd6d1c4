import type { ErrorCode, StopReason } from '@parley/contracts'

export const EXIT = { done: 0, failed: 1, badInput: 2, refused: 3, cancelled: 4 } as const
export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

export const EXIT_OF_ERROR: Record<ErrorCode, ExitCode> = {
  agent_not_found: EXIT.badInput,
  already_running: EXIT.failed,
  approval_not_pending: EXIT.badInput,
  budget_exceeded: EXIT.failed,
  cancelled: EXIT.cancelled,
  config_invalid: EXIT.badInput,
  content_filter: EXIT.failed,
  database_unavailable: EXIT.failed,
  forbidden: EXIT.refused,
  history_damaged: EXIT.failed,
  history_disk_full: EXIT.failed,
  history_in_use: EXIT.failed,
  history_key_wrong: EXIT.badInput,
  history_read_only: EXIT.failed,
  history_unwritable: EXIT.failed,
  idempotency_conflict: EXIT.failed,
  internal: EXIT.failed,
  method_not_allowed: EXIT.failed,
  not_found: EXIT.badInput,
  nothing_to_continue: EXIT.badInput,
  payload_too_large: EXIT.badInput,
  provider_auth: EXIT.failed,
  provider_rate_limit: EXIT.failed,
  provider_unavailable: EXIT.failed,
  rate_limited: EXIT.failed,
  run_timeout: EXIT.failed,
  sandbox_error: EXIT.failed,
  server_unreachable: EXIT.failed,
  session_busy: EXIT.failed,
  session_ended: EXIT.failed,
  session_not_found: EXIT.badInput,
  source_not_found: EXIT.badInput,
  reflection_not_found: EXIT.badInput,
  patch_not_pending: EXIT.badInput,
  tool_denied: EXIT.refused,
  tool_failed: EXIT.failed,
  tool_unavailable: EXIT.failed,
  turn_limit: EXIT.failed,
  unauthenticated: EXIT.failed,
  unsupported_media_type: EXIT.badInput,
  validation: EXIT.badInput,
}

export const EXIT_OF_STOP: Record<Exclude<StopReason, 'error'>, ExitCode> = {
  completed: EXIT.done,
  max_tokens: EXIT.done,
  cancelled: EXIT.cancelled,
}
