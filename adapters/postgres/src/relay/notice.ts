import { SessionId } from '@parley/contracts'
import type { Piece } from './pieces.ts'

/** What our processes tell each other of events. Each notice begins with its kind and its sender. */
export type Notice =
  | { readonly kind: 'hello' | 'here'; readonly sender: string }
  | { readonly kind: 'ask'; readonly sender: string; readonly sessionId: SessionId }
  | { readonly kind: 'stored'; readonly sender: string; readonly sessionId: SessionId; readonly upTo: number }
  | { readonly kind: 'said'; readonly sender: string; readonly piece: Piece }

export function writeNotice(notice: Notice): string {
  const head = `${notice.kind} ${notice.sender}`
  switch (notice.kind) {
    case 'hello':
    case 'here':
      return head
    case 'ask':
      return `${head} ${notice.sessionId}`
    case 'stored':
      return `${head} ${notice.sessionId} ${notice.upTo}`
    case 'said': {
      const { counter, index, count, text } = notice.piece
      return `${head} ${counter} ${index} ${count} ${text}`
    }
    default:
      return notice satisfies never
  }
}

/** Undefined for what is none of these: others use the channel too, and anybody may send anything. */
export function readNotice(text: string): Notice | undefined {
  const [kind, sender = '', ...rest] = text.split(' ')
  if (!/^[0-9a-f]{32}$/.test(sender)) return undefined
  if (kind === 'hello' || kind === 'here') return { kind, sender }
  if (kind === 'said') {
    const [counter, index, count] = rest.slice(0, 3).map(Number)
    if (counter === undefined || index === undefined || count === undefined) return undefined
    return { kind, sender, piece: { counter, index, count, text: rest[3] ?? '' } }
  }
  const { data: sessionId } = SessionId.safeParse(rest[0])
  if (sessionId === undefined) return undefined
  if (kind === 'ask') return { kind, sender, sessionId }
  const upTo = Number(rest[1])
  return kind === 'stored' && Number.isSafeInteger(upTo) ? { kind, sender, sessionId, upTo } : undefined
}
