import { type Agent, PlatformError } from '@parley/contracts'
import { narrowTools } from '@parley/engine'
import { buildSessionAgent } from '../packs/build-session-agent.ts'
import { requirePack } from '../packs/choose-pack.ts'
import { buildInterviewerPack } from '../packs/shared-packs.ts'
import type { SessionPlan } from './plan-session.ts'
import { type PlannedSession, type StartHost, NO_FOLDER } from './starting-host.ts'

/** The stored session under which a call is read, resumed and exported. */
interface CallSession {
  store(variables: Readonly<Record<string, string>>, plan: SessionPlan, signal: AbortSignal): Promise<void>
  /** Removes the session after a failed start, also while it is being stored. */
  discard(): Promise<void>
}

export function createCallSession(call: PlannedSession, host: StartHost): CallSession {
  const { sessions } = host
  const { sessionId, personId, title } = call
  let storing: Promise<unknown> | undefined
  return {
    async store(variables, plan, signal) {
      const agent = await buildTypedAgent(call, plan, variables, host, signal)
      const named = title === undefined ? {} : { title }
      const session = { id: sessionId, ownerId: personId, agent, context: NO_FOLDER, ...named }
      storing = sessions.start({ ...session, channel: 'voice' }, signal)
      await storing
    },

    async discard() {
      await storing?.catch(() => undefined)
      await sessions.remove(sessionId).catch((failure: unknown) => {
        if (!(failure instanceof PlatformError && failure.code === 'session_not_found')) throw failure
      })
    },
  }
}

/** The agent that answers if the call is continued in writing. */
async function buildTypedAgent(
  { reflection, inputs }: PlannedSession,
  plan: SessionPlan,
  variables: Readonly<Record<string, string>>,
  { getDefaultAgent, sha256 }: StartHost,
  signal: AbortSignal,
): Promise<Agent> {
  const model = getDefaultAgent()
  if (plan.mode === 'interview') return buildSessionAgent(buildInterviewerPack(sha256), variables, model)
  const read = await inputs.readPromoted(signal).then(
    (artifacts) => ({ artifacts }),
    (failure: unknown) => ({ failure }),
  )
  const { pack } = requirePack(plan, reflection, read, sha256)
  return narrowTools(buildSessionAgent(pack, variables, model), plan.actions)
}
