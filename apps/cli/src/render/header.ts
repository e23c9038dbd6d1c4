import type { Agent } from '@parley/contracts'
import { neutralise } from './neutralise.ts'
import { type Place, placeLine } from './place-line.ts'
import type { ScreenLook } from './screen-of.ts'
import { fitText } from './text-width.ts'
import { wrapWords } from './wrap-words.ts'

interface Above {
  readonly agent: Agent
  readonly place: Place
  /** They go along with the first message. */
  readonly files: readonly string[]
  readonly hint?: string | undefined
}

/** What stands above a conversation: who answers, where, from what, and which keys matter. */
export function renderHeader({ agent, place, files, hint }: Above, { style, columns }: ScreenLook): string {
  const { name, id, provider, model } = agent
  const whole = provider === 'offline' ? model : `${provider}/${model}`
  const lines = [
    `${style.bold(neutralise(name ?? id))} ${style.dim(`(model ${neutralise(whole)})`)}`,
    ...(provider === 'offline'
      ? [style.dim(wrapWords('offline: answers only from what you give it', columns))]
      : []),
    style.dim(wrapWords(neutralise(placeLine(place)), columns)),
    ...(files.length > 0 ? [style.dim(fitText(neutralise(`with ${files.join(', ')}`), columns))] : []),
    ...(hint === undefined ? [] : [style.dim(wrapWords(neutralise(hint), columns))]),
    style.dim(wrapWords('/help lists commands and keys; @FILE gives a file along.', columns)),
    style.dim(wrapWords('Ctrl-C stops an answer, Ctrl-D leaves.', columns)),
  ]
  return `${lines.join('\n')}\n\n`
}
