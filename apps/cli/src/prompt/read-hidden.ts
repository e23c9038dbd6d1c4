import type { Io } from '../io.ts'
import { holdTerminal } from './raw-terminal.ts'

/** A line that is typed or pasted and not shown; undefined where the person gave it up. */
export function readHidden({ stdin, stderr }: Io, question: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    let typed = ''
    const done = (value: string | undefined) => {
      held.close()
      stderr.write('\n')
      resolve(value)
    }
    const held = holdTerminal(
      { input: stdin, output: stderr },
      {
        onResize: () => undefined,
        onKey(key) {
          if (key.name === 'enter') done(typed)
          else if (key.name === 'interrupt' || key.name === 'end-of-input') done(undefined)
          else if (key.name === 'delete-back') typed = typed.slice(0, -1)
          else if (key.name === 'text' || key.name === 'paste') typed += key.text
        },
      },
    )
    stderr.write(question)
  })
}
