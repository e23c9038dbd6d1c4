import { type SessionEvent, formatShortMoney } from '@parley/contracts'

/** The model of an agent as provider and name. */
export interface RequestedModel {
  readonly provider?: string | undefined
  readonly model?: string | undefined
}

/** Notes about a turn besides its answer; one instance per turn. */
export function createTurnNotes({ provider, model }: RequestedModel = {}): (
  event: SessionEvent,
) => string | undefined {
  const shown = new Set<string>()
  let serving = model
  let hasStarted = false
  let isReported = false

  const onToken = ({ stepId, model: speaking }: Extract<SessionEvent, { type: 'agent:token' }>) => {
    shown.add(stepId)
    if (serving === undefined || speaking === serving) return undefined
    serving = speaking
    return speaking === model ? `Using ${speaking} again` : `Using ${speaking}; ${model} unavailable`
  }

  /** Two providers may have a model of the same name, which tokens do not tell apart. */
  const onCost = ({ model: paid }: Extract<SessionEvent, { type: 'cost:updated' }>) => {
    const isOther = serving === model && paid !== `${provider}/${model}` && paid.endsWith(`/${model}`)
    if (!isOther || provider === undefined || isReported) return undefined
    isReported = true
    return `answered by ${paid}; ${provider}/${model} unavailable`
  }

  return (event) => {
    // Changes between turns were already reported.
    hasStarted ||= 'turnId' in event
    if (!hasStarted) return undefined
    if (event.type === 'agent:token') return onToken(event)
    if (event.type === 'cost:updated') return onCost(event)
    if (event.type === 'agent:retry_scheduled') return formatRetry(event)
    if (event.type === 'agent:step_discarded') return shown.delete(event.stepId) ? DISCARDED : undefined
    if (event.type === 'budget:warning' || event.type === 'budget:paused') return formatBudget(event)
    return SESSION_NOTES[event.type]
  }
}

const formatRetry = ({ error, waitMs }: Extract<SessionEvent, { type: 'agent:retry_scheduled' }>): string =>
  `${error.message.replace(/[^.?!]$/, '$&.')} Retrying in ${Math.max(1, Math.round(waitMs / 1_000))} s.`

const DISCARDED = 'the partial answer above was discarded'

const SESSION_NOTES: Partial<Record<SessionEvent['type'], string>> = {
  'session:compacting': 'summarising earlier messages',
  'session:compacted': 'the model now reads a summary of earlier messages; all of them stay saved',
  'session:trimmed': 'earlier messages are no longer sent to the model; all of them stay saved',
}

const formatBudget = ({
  totalMicrocents,
  maxMicrocents,
}: Extract<SessionEvent, { type: 'budget:warning' | 'budget:paused' }>): string =>
  `the next step may exceed the budget: ${formatShortMoney(totalMicrocents)} of ${formatShortMoney(maxMicrocents)} spent`

/** The note on an answer that reached the agent's limit. */
export const CUT_OFF_NOTE = 'The answer was cut off at max_tokens.'
