import type { ToolCallSummary, TurnSummary } from '@parley/contracts'

/** Model, time, cost and calls of a turn. */
export interface TurnDetail {
  readonly model: string | undefined
  /** The duration, without waiting for a person. */
  readonly tookMs: number | undefined
  readonly tokens: number | undefined
  readonly microcents: number | undefined
  readonly calls: readonly ToolCallSummary[]
}

/** By the number of the question: a continued turn is merged with its first part. */
export function collectTurnDetails(summaries: readonly TurnSummary[]): ReadonlyMap<number, TurnDetail> {
  const details = new Map<number, TurnDetail>()
  let spent = 0
  for (const summary of summaries) {
    const { question, model, totalMicrocents, calls } = summary
    const before = details.get(question)
    const cost = totalMicrocents === undefined ? undefined : totalMicrocents - spent
    spent = totalMicrocents ?? spent
    details.set(question, {
      model: model ?? before?.model,
      tookMs: addKnown(before?.tookMs, measureTurn(summary)),
      tokens: addKnown(before?.tokens, countTokens(summary)),
      microcents: addKnown(before?.microcents, cost),
      calls: [...(before?.calls ?? []), ...calls],
    })
  }
  return details
}

const addKnown = (before: number | undefined, more: number | undefined): number | undefined =>
  before === undefined ? more : more === undefined ? before : before + more

/** Without waiting for a person. */
function measureTurn({ startedAt, endedAt, calls }: TurnSummary): number | undefined {
  if (endedAt === undefined) return undefined
  const waited = calls
    .filter(hasWaited)
    .reduce((ms, { askedAt, decidedAt }) => ms + millisecondsBetween(askedAt, decidedAt), 0)
  return Math.max(0, millisecondsBetween(startedAt, endedAt) - waited)
}

/** After waiting for a person, usage covers only the rest of the turn, so it is left out. */
const countTokens = ({ usage, calls }: TurnSummary): number | undefined =>
  usage && !calls.some(hasWaited) ? usage.inputTokens + usage.outputTokens : undefined

const hasWaited = ({ by }: ToolCallSummary): boolean => by === 'person' || by === 'unattended'

const millisecondsBetween = (from: string, to: string | undefined): number =>
  to === undefined ? 0 : Date.parse(to) - Date.parse(from)
