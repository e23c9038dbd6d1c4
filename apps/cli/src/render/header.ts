import type { Agent } from '@parley/contracts'
import { neutralise } from './neutralise.ts'
import type { ScreenLook } from './screen-of.ts'
import { fitText } from './text-width.ts'
import { wrapWords } from './wrap-words.ts'

/** What stands above a conversation: who answers, from what, and which keys matter. */
export function renderHeader(
  agent: Agent,
  files: readonly string[],
  { style, columns }: ScreenLook,
  hint?: string,
): string {
  const { name, id, provider, model } = agent
  const whole = provider === 'offline' ? model : `${provider}/${model}`
  const lines = [
    `${style.bold(neutralise(name ?? id))} ${style.dim(`(model ${neutralise(whole)})`)}`,
    ...(provider === 'offline'
      ? [style.dim(wrapWords('offline: answers only from what you give it', columns))]
      : []),
    ...(files.length > 0 ? [style.dim(fitText(neutralise(`with ${files.join(', ')}`), columns))] : []),
    ...(hint === undefined ? [] : [style.dim(wrapWords(neutralise(hint), columns))]),
    style.dim(wrapWords('/help lists commands and keys; @FILE gives a file along.', columns)),
    style.dim(wrapWords('Ctrl-C stops an answer, Ctrl-D leaves.', columns)),
  ]
  return `${lines.join('\n')}\n\n`
}
