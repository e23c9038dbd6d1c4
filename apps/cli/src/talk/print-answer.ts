import { once } from 'node:events'
import type { Writable } from 'node:stream'
import type { SessionEvent } from '@parley/contracts'
import { createNeutraliser } from '../render/neutralise.ts'
import { createWrapper } from '../render/wrap-words.ts'
import { createTextFollower } from './follow-text.ts'

/** Prints an answer as it comes, made safe for a terminal; between words where a width is given. */
export function createAnswerPrinter(output: Writable, columns?: number) {
  const follow = createTextFollower()
  const neutraliser = createNeutraliser()
  const wrapper = columns === undefined ? undefined : createWrapper(columns)
  const wrapped = (text: string) => (wrapper ? wrapper.write(text) : text)
  let last = ''

  const print = (text: string) => {
    if (text === '') return undefined
    last = text
    return writeTo(output, text)
  }

  return {
    onEvent: (event: SessionEvent) => print(wrapped(neutraliser.write(follow(event)))),
    /** Ends the answer's last line. */
    async end() {
      await print(wrapped(neutraliser.flush()) + (wrapper?.flush() ?? ''))
      if (last !== '' && !last.endsWith('\n')) await print('\n')
    },
  }
}

/** Waits where the reader is slower than we are. */
export function writeTo(output: Writable, text: string): Promise<void> | undefined {
  return output.write(text) ? undefined : once(output, 'drain').then(() => undefined)
}
