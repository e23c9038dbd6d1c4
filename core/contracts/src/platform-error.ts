import type { ErrorCode } from './error-code.ts'

/** Names and ids that help to mend it; never a secret. `message` is a sentence for a person. */
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
