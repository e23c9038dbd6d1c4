import { PlatformError } from '@parley/contracts'
import type { AgentNotUsable } from '@parley/reflections'

const NOT_USABLE = [400, 404, 422]

/** What a call about one agent comes to: its answer, or that this agent cannot be used. */
export async function agentOutcome<Answer>(
  agentId: string,
  answer: Promise<Answer>,
): Promise<Answer | AgentNotUsable> {
  try {
    return await answer
  } catch (thrown) {
    const status = statusOf(thrown)
    if (status === undefined || !NOT_USABLE.includes(status)) throw thrown
    return { kind: 'agent_not_usable', agentId, status, reason: reasonOf(thrown) }
  }
}

/** Undefined where the provider says that there is no such thing. */
export async function unlessMissing<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await answer
  } catch (thrown) {
    if (statusOf(thrown) === 404) return undefined
    throw thrown
  }
}

function statusOf(thrown: unknown): number | undefined {
  const status = thrown instanceof PlatformError ? thrown.detail['status'] : undefined
  return typeof status === 'number' ? status : undefined
}

function reasonOf(thrown: unknown): string {
  const said = thrown instanceof PlatformError ? thrown.detail['said'] : undefined
  return typeof said === 'string' ? said : 'the provider gave no reason'
}
