/** Remembers which webhooks were taken, for at least as long as one may come again. */
export interface WebhookClaims {
  /** True for the first who asks for this key, in whatever process. */
  claim(eventKey: string): Promise<boolean>
}
