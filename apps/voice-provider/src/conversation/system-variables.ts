import type { Variables } from '../tools-of-agent/variables.ts'

interface Facts {
  readonly agentId: string
  readonly conversationId: string
  readonly startedAt: number
  readonly now: number
  readonly timezone?: string | null | undefined
}

/** What the provider itself knows of a call. */
export const systemVariables = ({ agentId, conversationId, startedAt, now, timezone }: Facts): Variables => ({
  system__agent_id: agentId,
  system__current_agent_id: agentId,
  system__conversation_id: conversationId,
  system__time_utc: new Date(now).toISOString(),
  system__call_duration_secs: Math.floor((now - startedAt) / 1_000),
  ...timeIn(timezone, now),
})

function timeIn(timezone: Facts['timezone'], now: number): Variables {
  if (!timezone) return {}
  try {
    const time = new Intl.DateTimeFormat('en-GB', {
      dateStyle: 'full',
      timeStyle: 'short',
      timeZone: timezone,
    })
    return { system__timezone: timezone, system__time: time.format(now) }
  } catch {
    // A zone that nobody knows has no time.
    return {}
  }
}
