import { createHmac } from 'node:crypto'

/** The header by which a receiver knows that a body is ours, and how old it is. */
export function signWebhook(secret: string, body: string, now: number): string {
  const seconds = Math.floor(now / 1_000)
  const hash = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')
  return `t=${seconds},v0=${hash}`
}
