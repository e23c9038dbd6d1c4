import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { z } from 'zod'

interface RefusalKind {
  readonly status: ContentfulStatusCode
  readonly type: string
}

const AUTHENTICATION = { status: 401, type: 'authentication_error' } as const
const NOT_FOUND = { status: 404, type: 'not_found' } as const
const INVALID = { status: 400, type: 'validation_error' } as const

/** Error codes with the HTTP status that clients check. */
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
} as const satisfies Record<string, RefusalKind>

export type RefusalCode = keyof typeof REFUSALS

/** A rejected call. `createRest` turns it into an error in the vendor's format. */
export class RequestRefusal extends Error {
  override readonly name = 'RequestRefusal'
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

type Resource =
  | 'agent'
  | 'conversation'
  | 'environment_variable'
  | 'secret'
  | 'test'
  | 'test_invocation'
  | 'tool'
  | 'voice'
  | 'webhook'

/** The vendor names the parameter only for these. */
const NAMED_IN_PARAM: readonly Resource[] = [
  'agent',
  'conversation',
  'secret',
  'test',
  'tool',
  'voice',
  'webhook',
]

export const createNotFoundRefusal = (resource: Resource, id: string): RequestRefusal =>
  new RequestRefusal(
    `${resource}_not_found`,
    `There is no ${resource.replaceAll('_', ' ')} with the id ${id}.`,
    NAMED_IN_PARAM.includes(resource) ? `${resource}_id` : undefined,
  )

/** The agent exists, but not this version or branch of it. */
export const createNotFoundInAgentRefusal = (
  part: 'version' | 'branch',
  agentId: string,
  id: string | undefined,
): RequestRefusal => new RequestRefusal(`${part}_not_found`, `The agent ${agentId} has no ${part} ${id}.`)

/** One validation error in the vendor's format. */
export interface FieldError {
  readonly type: string
  readonly loc: readonly (string | number)[]
  readonly msg: string
  readonly input: unknown
}

/** An invalid request, answered with 422 and all validation errors. */
export class UnprocessableRequest extends Error {
  override readonly name = 'UnprocessableRequest'
  readonly fieldErrors: readonly FieldError[]

  constructor(fieldErrors: readonly FieldError[]) {
    super(fieldErrors.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; '))
    this.fieldErrors = fieldErrors
  }

  static fromIssues(place: 'body' | 'query', issues: readonly z.core.$ZodIssue[], input: unknown) {
    return new UnprocessableRequest(issues.flatMap((issue) => toFieldErrors(issue, input, [place])))
  }
}

type IssuePath = readonly (string | number)[]

function toFieldErrors(issue: z.core.$ZodIssue, body: unknown, place: IssuePath): readonly FieldError[] {
  const path = issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part))
  const input = path.reduce<unknown>((value, part) => getInner(value, part), body)
  const loc = [...place, ...path]
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      type: 'extra_forbidden',
      loc: [...loc, key],
      msg: 'Extra inputs are not permitted',
      input: getInner(input, key),
    }))
  }
  const branch = issue.code === 'invalid_union' && findLikeliest(issue.errors)
  if (branch) return branch.flatMap((nested) => toFieldErrors(nested, input, loc))
  return [{ type: issue.code, loc, msg: issue.message, input }]
}

const getInner = (value: unknown, part: string | number): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string | number, unknown>)[part] : undefined

/** The most likely alternative of a union: the one with the fewest errors and the right kind. */
const findLikeliest = (errors: readonly (readonly z.core.$ZodIssue[])[]) =>
  errors
    .filter(
      (issues) => issues.length > 0 && !issues.some(({ path }) => path.length === 0 || path[0] === 'type'),
    )
    .toSorted((one, other) => one.length - other.length)[0]
