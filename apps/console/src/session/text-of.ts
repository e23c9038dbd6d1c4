import type { SessionMessage } from '@parley/contracts'

/** What a message says in words. */
export const textOf = ({ content }: SessionMessage): string =>
  content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
