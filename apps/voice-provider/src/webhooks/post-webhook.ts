/** What came of a request to a receiver. */
export type Posted =
  | { readonly kind: 'answered'; readonly status: number }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'unreachable'; readonly why: string }
  /** We stopped; whether it was received is not known. */
  | { readonly kind: 'called-off' }

export interface WebhookPost {
  readonly url: string
  /** Its owner's own. */
  readonly headers: Readonly<Record<string, string>>
  readonly signature: string
  readonly body: string
  readonly isChunked: boolean
}

/** Sends one event. Never throws. */
export async function postWebhook(
  { url, headers, signature, body, isChunked }: WebhookPost,
  timeoutMs: number,
  stopping: AbortSignal,
): Promise<Posted> {
  const timeout = AbortSignal.timeout(timeoutMs)
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: headersOf(headers, signature),
      redirect: 'manual',
      signal: AbortSignal.any([timeout, stopping]),
      ...(isChunked ? { body: new Blob([body]).stream(), duplex: 'half' } : { body }),
    })
    // Whether they took it is all that counts.
    await response.body?.cancel()
    return { kind: 'answered', status: response.status }
  } catch (failure) {
    if (stopping.aborted) return { kind: 'called-off' }
    if (timeout.aborted) return { kind: 'timeout' }
    return {
      kind: 'unreachable',
      why: String(failure instanceof Error ? (failure.cause ?? failure) : failure),
    }
  }
}

function headersOf(own: WebhookPost['headers'], signature: string): Headers {
  const headers = new Headers(own)
  headers.set('content-type', 'application/json')
  headers.set('elevenlabs-signature', signature)
  return headers
}
