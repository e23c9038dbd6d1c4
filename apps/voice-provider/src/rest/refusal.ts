import type { ContentfulStatusCode } from 'hono/utils/http-status'

interface Kind {
  readonly status: ContentfulStatusCode
  readonly type: string
}

const AUTHENTICATION = { status: 401, type: 'authentication_error' } as const
const NOT_FOUND = { status: 404, type: 'not_found' } as const
const INVALID = { status: 400, type: 'validation_error' } as const

/** What a call may be refused for, with the status that clients branch on. */
const REFUSALS = {
  needs_authorization: AUTHENTICATION,
  invalid_api_key: AUTHENTICATION,
  forbidden_host: { status: 403, type: 'authorization_error' },
  agent_not_found: NOT_FOUND,
  version_not_found: NOT_FOUND,
  branch_not_found: NOT_FOUND,
  tool_not_found: NOT_FOUND,
  secret_not_found: NOT_FOUND,
  webhook_not_found: NOT_FOUND,
  environment_variable_not_found: NOT_FOUND,
  test_not_found: NOT_FOUND,
  test_invocation_not_found: NOT_FOUND,
  conversation_not_found: NOT_FOUND,
  audio_not_found: NOT_FOUND,
  file_not_found: NOT_FOUND,
  voice_not_found: NOT_FOUND,
  not_found: NOT_FOUND,
  invalid_cursor: INVALID,
  webrtc_needs_livekit: INVALID,
  file_input_disabled: INVALID,
  conversation_not_running: { status: 409, type: 'conflict' },
  too_many_files: { status: 409, type: 'conflict' },
  resource_in_use: { status: 409, type: 'conflict' },
  label_already_exists: { status: 409, type: 'conflict' },
  payload_too_large: { status: 413, type: 'validation_error' },
  too_many_concurrent_requests: { status: 429, type: 'rate_limit_error' },
  internal_server_error: { status: 500, type: 'internal_error' },
  database_unavailable: { status: 503, type: 'service_unavailable' },
} as const satisfies Record<string, Kind>

export type RefusalCode = keyof typeof REFUSALS

/** A call that is not answered. Caught where answers are made, and told in the vendor's shape. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly code: RefusalCode
  readonly parameter: string | undefined

  constructor(code: RefusalCode, message: string, parameter?: string) {
    super(message)
    this.code = code
    this.parameter = parameter
  }

  get status(): ContentfulStatusCode {
    return REFUSALS[this.code].status
  }

  /** Older clients read `status`, newer ones `code`. */
  bodyFor(requestId: string) {
    return {
      detail: {
        type: REFUSALS[this.code].type,
        code: this.code,
        status: this.code,
        message: this.message,
        request_id: requestId,
        ...(this.parameter !== undefined && { param: this.parameter }),
      },
    }
  }
}
