import type { Posted } from './post-webhook.ts'
import type { WebhookDocument } from './webhook-document.ts'

export type AfterAttempt =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'again'; readonly afterMs: number }
  | { readonly kind: 'given-up' }

type Ended = Exclude<Posted, { kind: 'called-off' }>

/** What becomes of a delivery: only 200 is received, and only what may pass is tried again. */
export function afterAttempt(
  posted: Ended,
  attempt: number,
  { retry_enabled }: Pick<WebhookDocument, 'retry_enabled'>,
  pausesMs: readonly number[],
): AfterAttempt {
  if (isReceived(posted)) return { kind: 'delivered' }
  const afterMs = pausesMs[attempt - 1]
  if (!retry_enabled || !mayPass(posted) || afterMs === undefined) return { kind: 'given-up' }
  return { kind: 'again', afterMs }
}

/** As many in a row turn a webhook off, unless it worked within the time below. */
const MOST_FAILURES = 10
const WORKED_LATELY_SECONDS = 7 * 24 * 3_600

/** The webhook with what an attempt says of it. */
export function withAttempt(webhook: WebhookDocument, posted: Ended, now: number): WebhookDocument {
  const seconds = Math.floor(now / 1_000)
  if (isReceived(posted))
    return { ...webhook, consecutive_failures: 0, most_recent_success_timestamp: seconds }
  const failures = (webhook.consecutive_failures ?? 0) + 1
  const worked = webhook.most_recent_success_timestamp
  const hasWorkedLately = worked !== undefined && seconds - worked <= WORKED_LATELY_SECONDS
  return {
    ...webhook,
    consecutive_failures: failures,
    most_recent_failure_timestamp: seconds,
    most_recent_failure_error_code: posted.kind === 'answered' ? posted.status : null,
    is_auto_disabled: webhook.is_auto_disabled || (failures >= MOST_FAILURES && !hasWorkedLately),
  }
}

const isReceived = (posted: Ended): boolean => posted.kind === 'answered' && posted.status === 200

const mayPass = (posted: Ended): boolean =>
  posted.kind !== 'answered' || posted.status === 429 || posted.status >= 500
