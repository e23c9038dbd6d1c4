import { PlatformError } from '@parley/contracts'
import type { Io } from '../io.ts'
import { readInput } from './read-message.ts'

/** Where what is said comes from: the command line, standard input, or a prompt. */
export type Given =
  | { readonly kind: 'written'; readonly text: string }
  | { readonly kind: 'piped'; readonly text: string }
  | { readonly kind: 'prompt' }

/** `message` is what the command line has; a dash, or none where nobody types, reads standard input. */
export async function givenText(message: string | undefined, { stdin }: Io): Promise<Given> {
  const isPiped = message === '-' || (message === undefined && !stdin.isTTY)
  if (isPiped) return { kind: 'piped', text: await readInput(stdin) }
  return message === undefined ? { kind: 'prompt' } : { kind: 'written', text: message }
}

export const promptless = () =>
  new PlatformError('validation', {
    message: 'With --json there is no prompt.',
    mend: 'Give the message with --message TEXT, or pipe it in.',
  })
