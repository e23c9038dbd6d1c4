import { type Agent, PlatformError } from '@parley/contracts'
import { narrowTools } from '@parley/engine'
import { interviewerPack } from '../interview/interviewer-pack.ts'
import { agentOfPack } from '../packs/agent-of-pack.ts'
import { requirePack } from '../packs/session-pack.ts'
import type { SessionPlan } from '../starting/plan-session.ts'
import type { ConversationRecord, SessionOpening } from '../starting/starting-host.ts'
import type { ReflectionSessionsHost } from './sessions-host.ts'
import { NO_FOLDER, type StartRequest } from './start-request.ts'

type RecordedOpening = Pick<SessionOpening, 'sessionId' | 'personId' | 'sources'> &
  Pick<StartRequest, 'reflection' | 'title'>

/** The session under which a call is read, resumed and exported. */
export function recordConversation(
  opening: RecordedOpening,
  host: ReflectionSessionsHost,
): ConversationRecord {
  const { sessions } = host
  const { sessionId, personId, title } = opening
  let keeping: Promise<unknown> | undefined
  return {
    async keep(variables, plan, signal) {
      const agent = await agentForWriting(opening, plan, variables, host, signal)
      const named = title === undefined ? {} : { title }
      const session = { id: sessionId, ownerId: personId, agent, context: NO_FOLDER, ...named }
      keeping = sessions.start({ ...session, channel: 'voice' }, signal)
      await keeping
    },

    async discard() {
      await keeping?.catch(() => undefined)
      await sessions.remove(sessionId).catch((failure: unknown) => {
        if (!(failure instanceof PlatformError && failure.code === 'session_not_found')) throw failure
      })
    },
  }
}

/** The agent that answers if the call is continued in writing. */
async function agentForWriting(
  { reflection, sources }: RecordedOpening,
  plan: SessionPlan,
  variables: Readonly<Record<string, string>>,
  { defaultAgent, sha256 }: ReflectionSessionsHost,
  signal: AbortSignal,
): Promise<Agent> {
  const model = defaultAgent()
  if (plan.mode === 'interview') return agentOfPack(interviewerPack(sha256), variables, model)
  const read = await sources.promoted(signal).then(
    (artifacts) => ({ artifacts }),
    (failure: unknown) => ({ failure }),
  )
  const { pack } = requirePack(plan, reflection, read, sha256)
  return narrowTools(agentOfPack(pack, variables, model), plan.actions)
}
