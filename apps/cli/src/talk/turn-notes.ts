import { type SessionEvent, shortMoneyOf } from '@parley/contracts'

/** The model that an agent names, by its provider's name and its own. */
export interface Asked {
  readonly provider?: string | undefined
  readonly model?: string | undefined
}

/** What a person is told of a turn beside its answer; one of these for each turn. */
export function createTurnNotes({ provider, model }: Asked = {}): (
  event: SessionEvent,
) => string | undefined {
  const shown = new Set<string>()
  let serving = model
  let isUnderWay = false
  let isTold = false

  const onToken = ({ stepId, model: speaking }: Extract<SessionEvent, { type: 'agent:token' }>) => {
    shown.add(stepId)
    if (serving === undefined || speaking === serving) return undefined
    serving = speaking
    return speaking === model ? `${speaking} answers again` : `${speaking} answers, since ${model} could not`
  }

  /** Two providers may have a model of the same name, and words do not say whose they are. */
  const onCost = ({ model: paid }: Extract<SessionEvent, { type: 'cost:updated' }>) => {
    const isOfAnother = serving === model && paid !== `${provider}/${model}` && paid.endsWith(`/${model}`)
    if (!isOfAnother || provider === undefined || isTold) return undefined
    isTold = true
    return `that was ${paid}, since ${provider}/${model} could not`
  }

  return (event) => {
    // What was done to the session since the turn before was told when it was done.
    isUnderWay ||= 'turnId' in event
    if (!isUnderWay) return undefined
    if (event.type === 'agent:token') return onToken(event)
    if (event.type === 'cost:updated') return onCost(event)
    if (event.type === 'agent:retry_scheduled') return retrying(event)
    if (event.type === 'agent:step_discarded') return shown.delete(event.stepId) ? GIVEN_UP : undefined
    if (event.type === 'budget:warning' || event.type === 'budget:paused') return overBudget(event)
    return OF_SESSION[event.type]
  }
}

const retrying = ({ error, waitMs }: Extract<SessionEvent, { type: 'agent:retry_scheduled' }>): string =>
  `${error.message.replace(/[^.?!]$/, '$&.')} Retrying in ${Math.max(1, Math.round(waitMs / 1_000))} s.`

const GIVEN_UP = 'what stands above of this answer was given up'

const OF_SESSION: Partial<Record<SessionEvent['type'], string>> = {
  'session:compacting': 'earlier messages are being summarised',
  'session:compacted':
    'a summary stands for earlier messages from here on, for the model; all of them are kept',
  'session:trimmed': 'earlier messages are left out for the model from here on; all of them are kept',
}

const overBudget = ({
  totalMicrocents,
  maxMicrocents,
}: Extract<SessionEvent, { type: 'budget:warning' | 'budget:paused' }>): string =>
  `the next step may pass the budget: ${shortMoneyOf(totalMicrocents)} of ${shortMoneyOf(maxMicrocents)} are spent`
