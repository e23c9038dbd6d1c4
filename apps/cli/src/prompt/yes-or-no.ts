import type { Writable } from 'node:stream'
import type { Key } from './key.ts'

/** What a person says to a question of yes or no: they may also leave it open. */
export type Confirmation = 'yes' | 'no' | 'leave'

/** What a line says: nothing but yes is yes, and what is neither yes nor no is asked again. */
export function readYesOrNo(line: string): 'yes' | 'no' | undefined {
  const word = line.trim().toLowerCase()
  if (word === 'y' || word === 'yes') return 'yes'
  return word === '' || word === 'n' || word === 'no' ? 'no' : undefined
}

export const yesOrNo = (question: string): string => `${question} [y/N] `

/** Asks, and is then given key by key until there is an answer; one key alone decides nothing. */
export function createYesOrNo(question: string, output: Writable): (key: Key) => Confirmation | undefined {
  let typed = ''
  output.write(yesOrNo(question))

  const read = (): Confirmation | undefined => {
    const answer = readYesOrNo(typed)
    typed = ''
    if (answer === undefined) output.write(`\r\n${yesOrNo(question)}`)
    else output.write('\r\n')
    return answer
  }

  return (key) => {
    if (key.name === 'enter') return read()
    if (key.name === 'interrupt' || key.name === 'end-of-input') {
      output.write('\r\n')
      return 'leave'
    }
    if (key.name === 'text' && /^[\x20-\x7e]$/.test(key.text)) {
      typed += key.text
      output.write(key.text)
    } else if (key.name === 'delete-back' && typed !== '') {
      typed = typed.slice(0, -1)
      output.write('\b \b')
    }
    return undefined
  }
}
