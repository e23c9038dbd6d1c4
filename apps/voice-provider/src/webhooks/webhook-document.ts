import type { Body } from '@parley/postgres'

/** What is kept of a webhook, besides what only its owner reads. */
export interface WebhookDocument {
  readonly webhook_url: string
  readonly request_headers: Readonly<Record<string, string>>
  readonly is_disabled: boolean
  readonly is_auto_disabled: boolean
  readonly retry_enabled: boolean
  readonly consecutive_failures?: number
  readonly most_recent_success_timestamp?: number
  readonly most_recent_failure_timestamp?: number
  /** Null where nobody answered at all. */
  readonly most_recent_failure_error_code?: number | null
}

export const webhookOf = (body: Body): WebhookDocument => body as unknown as WebhookDocument

/** By its owner, or by us after too many failures. */
export const isOff = ({ is_disabled, is_auto_disabled }: WebhookDocument): boolean =>
  is_disabled || is_auto_disabled
