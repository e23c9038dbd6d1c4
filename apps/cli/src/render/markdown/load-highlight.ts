import type { SessionMessage } from '@parley/contracts'
import type { ScreenLook } from '../screen-of.ts'
import type { Highlight } from './highlight.ts'

let loading: Promise<Highlight> | undefined

/** Takes a while the first time; nobody needs it before there is code to show. */
export function loadHighlight(): Promise<Highlight> {
  loading ??= import('./highlight.ts').then(({ createHighlight }) => createHighlight())
  return loading
}

export const mayHoldCode = (text: string): boolean => text.includes('```') || text.includes('~~~')

/** The look for these messages: with colours for code, if they hold any. */
export async function lookFor(look: ScreenLook, messages: readonly SessionMessage[]): Promise<ScreenLook> {
  const holdsCode = messages.some(({ content }) =>
    content.some((part) => part.type === 'text' && mayHoldCode(part.text)),
  )
  if (!look.markdown || !holdsCode) return look
  return { ...look, markdown: { ...look.markdown, highlight: await loadHighlight() } }
}
