import type { Writable } from 'node:stream'
import type { Key } from './key.ts'

/** What a person says to a question; they may also leave it open. `session` and `view` only where they are offered. */
export type Confirmation = 'yes' | Offer | 'no' | 'leave'

/** What may be said beside yes and no: yes from now on, or to be shown more before deciding. */
export type Offer = 'session' | 'view'

/** What a line says: nothing but yes is yes, and what is no answer is asked again. */
export function readYesOrNo(
  line: string,
  offers: readonly Offer[] = [],
): Exclude<Confirmation, 'leave'> | undefined {
  const word = line.trim().toLowerCase()
  if (word === 'y' || word === 'yes') return 'yes'
  if (word === '' || word === 'n' || word === 'no') return 'no'
  return offers.find((offer) => word === offer || word === OFFER_KEYS[offer])
}

export const OFFER_KEYS: Readonly<Record<Offer, string>> = { session: 's', view: 'v' }

/** A question with offers says itself what they are, a line each; below lines the answer has one of its own. */
export const yesOrNo = (question: string, offers: readonly Offer[] = []): string =>
  `${question}${offers.length > 0 || question.includes('\n') ? '\n' : ' '}[${['y', ...offers.map((offer) => OFFER_KEYS[offer]), 'N'].join('/')}] `

/** Asks, and is then given key by key until there is an answer; one key alone decides nothing. */
export function createYesOrNo(
  question: string,
  offers: readonly Offer[],
  output: Writable,
): (key: Key) => Confirmation | undefined {
  const asked = yesOrNo(question, offers).replaceAll('\n', '\r\n')
  let typed = ''
  output.write(asked)

  const read = (): Confirmation | undefined => {
    const answer = readYesOrNo(typed, offers)
    typed = ''
    if (answer === undefined) output.write(`\r\n${asked}`)
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
