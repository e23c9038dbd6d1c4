/** Remembers which webhooks were taken, for at least as long as one may come again. */
export interface WebhookClaims {
  /** Whether one of this key was taken to its end, in whatever process. */
  isTaken(eventKey: string): Promise<boolean>
}
