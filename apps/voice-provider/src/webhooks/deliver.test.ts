import { expect, test } from 'vitest'
import { afterAttempt, type AfterAttempt, withAttempt } from './deliver.ts'
import type { WebhookDocument } from './webhook-document.ts'

const webhook: WebhookDocument = {
  webhook_url: 'http://127.0.0.1:9/',
  request_headers: {},
  is_disabled: false,
  is_auto_disabled: false,
  retry_enabled: true,
}
type Posted = Parameters<typeof afterAttempt>[0]
const answered = (status: number): Posted => ({ kind: 'answered', status })
const again = (afterMs: number): AfterAttempt => ({ kind: 'again', afterMs })
const GIVEN_UP: AfterAttempt = { kind: 'given-up' }

test.each<[string, Posted, number, boolean, AfterAttempt]>([
  ['200 is received', answered(200), 1, true, { kind: 'delivered' }],
  ['200 is received by the last attempt', answered(200), 3, true, { kind: 'delivered' }],
  ['another 2xx is not', answered(204), 1, true, GIVEN_UP],
  ['a redirect is not followed', answered(307), 1, true, GIVEN_UP],
  ['a refusal is final', answered(404), 1, true, GIVEN_UP],
  ['too many requests may pass', answered(429), 1, true, again(10)],
  ['a failing server may mend', answered(500), 1, true, again(10)],
  ['the pauses grow', answered(503), 2, true, again(100)],
  ['silence may pass', { kind: 'timeout' }, 1, true, again(10)],
  ['who is not there may come', { kind: 'unreachable', why: 'ECONNREFUSED' }, 1, true, again(10)],
  ['it is given up at last', answered(500), 3, true, GIVEN_UP],
  ['nothing is tried again where that is not asked for', answered(500), 1, false, GIVEN_UP],
])('[X2] %s', (_, posted, attempt, retry_enabled, expected) => {
  expect(afterAttempt(posted, attempt, { retry_enabled }, [10, 100])).toEqual(expected)
})

const NOW = 1_800_000_000_000
const SECONDS = NOW / 1_000
const DAY = 24 * 3_600

test.each<[string, Partial<WebhookDocument>, Posted, Partial<WebhookDocument>]>([
  ['a failure counts', {}, answered(500), { consecutive_failures: 1, most_recent_failure_error_code: 500 }],
  ['nobody there has no code', {}, { kind: 'timeout' }, { most_recent_failure_error_code: null }],
  [
    'success clears the count',
    { consecutive_failures: 9 },
    answered(200),
    { consecutive_failures: 0, most_recent_success_timestamp: SECONDS, is_auto_disabled: false },
  ],
  ['the ninth failure leaves it on', { consecutive_failures: 8 }, answered(500), { is_auto_disabled: false }],
  ['the tenth turns it off', { consecutive_failures: 9 }, answered(404), { is_auto_disabled: true }],
  [
    'what worked within a week stays on',
    { consecutive_failures: 9, most_recent_success_timestamp: SECONDS - 6 * DAY },
    answered(500),
    { is_auto_disabled: false },
  ],
  [
    'what worked longer ago does not',
    { consecutive_failures: 9, most_recent_success_timestamp: SECONDS - 8 * DAY },
    answered(500),
    { is_auto_disabled: true },
  ],
])('[X2] %s', (_, given, posted, expected) => {
  expect(withAttempt({ ...webhook, ...given }, posted, NOW)).toMatchObject(expected)
})
