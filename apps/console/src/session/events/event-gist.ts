import { type SessionEvent, shortMoneyOf, unfenced, type Usage } from '@parley/contracts'
import { visibleText } from '../../ui/visible-text.ts'
import { callSubject } from '../call-subject.ts'
import { textOf } from '../text-of.ts'

const LONGEST = 160

/** What an event says, in one line. */
export function eventGist(event: SessionEvent): string {
  const line = visibleText(gistOf(event).replace(/\s+/g, ' ').trim())
  return line.length > LONGEST ? `${line.slice(0, LONGEST - 1).replace(/[\uD800-\uDBFF]$/, '')}…` : line
}

function gistOf(event: SessionEvent): string {
  switch (event.type) {
    case 'session:started':
      return `${event.agent.id} with ${event.agent.provider}/${event.agent.model}`
    case 'session:turn_started':
      return `${event.continued ? 'goes on with: ' : ''}${textOf(event.message)}`
    case 'session:turn_completed':
      return `${event.stopReason}${tokensOf(event.usage)}${event.error ? `: ${event.error.message}` : ''}`
    case 'agent:token':
      return event.token
    case 'agent:reasoning':
      return event.text
    case 'agent:tool_call':
      return `${event.call.name} ${callSubject(event.call)}`
    case 'agent:tool_decided':
      return `${event.tool} ${event.verdict} by ${event.by}${event.reason ? `: ${event.reason}` : ''}`
    case 'agent:tool_result':
      return event.outcome.kind === 'ok'
        ? unfenced(event.outcome.text)
        : `${event.outcome.code}: ${unfenced(event.outcome.text)}`
    case 'agent:approval_requested':
      return `${event.tool} on ${event.target}`
    case 'agent:approval_answered':
      return event.unattended ? `${event.decision}: nobody was there` : event.decision
    case 'agent:retry_scheduled':
      return `in ${Math.max(1, Math.round(event.waitMs / 1_000))} s, since ${event.error.message}`
    case 'cost:updated':
      return `${shortMoneyOf(event.totalMicrocents)} so far, with ${event.model}`
    case 'budget:warning':
    case 'budget:paused':
      return `${shortMoneyOf(event.totalMicrocents)} of ${shortMoneyOf(event.maxMicrocents)}`
    case 'session:compacted':
    case 'session:trimmed':
      return `up to message ${event.uptoSequence}`
    case 'session:exported':
      return event.format
    case 'agent:step_discarded':
    case 'session:cancelled':
    case 'session:compacting':
      return ''
    default:
      event satisfies never
      return ''
  }
}

/** What a call took is not known. */
const tokensOf = ({ inputTokens, outputTokens }: Usage): string =>
  inputTokens + outputTokens === 0 ? '' : `, ${inputTokens} + ${outputTokens} tokens`
