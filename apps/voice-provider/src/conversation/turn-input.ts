import type { LlmMessage } from '@parley/engine'

/** What an agent has to answer: words, speech that nothing was understood of, a silence, or what it was kept from answering. */
export type TurnInput =
  | { readonly kind: 'said'; readonly text: string; readonly medium: 'audio' | 'text' }
  | { readonly kind: 'not-understood' }
  | { readonly kind: 'silence' }
  | { readonly kind: 'again' }

/** What a model is given for a silence: there is no turn without words. */
const SILENCE = '...'

/** What a model is given of it. */
export const messagesOf = (inputs: readonly TurnInput[]): readonly LlmMessage[] =>
  inputs
    .filter(({ kind }) => kind === 'said' || kind === 'silence')
    .map((input) => ({
      role: 'user',
      content: [{ type: 'text', text: input.kind === 'said' ? input.text : SILENCE }],
    }))
