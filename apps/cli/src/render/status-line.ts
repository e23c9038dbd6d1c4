import { moneyOf } from './money-of.ts'

/** How a conversation stands, as far as that is known. */
export interface Status {
  readonly agent?: string | undefined
  readonly model?: string | undefined
  /** From 0 to 1, of what the model can read at once. */
  readonly contextUsed?: number | undefined
  readonly microcents?: number | undefined
}

/** One quiet line; an agent that is called like its model is named once. */
export function statusLine({ agent, model, contextUsed, microcents }: Status): string {
  const isSame = agent?.toLowerCase() === model?.toLowerCase()
  return [
    agent,
    isSame ? undefined : model,
    contextUsed === undefined ? undefined : `${Math.round(contextUsed * 100)} % of context`,
    microcents === undefined ? undefined : moneyOf(microcents),
  ]
    .filter((part) => part !== undefined)
    .join(' · ')
}
