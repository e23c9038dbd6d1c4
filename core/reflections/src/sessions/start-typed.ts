import type { Agent, StartedSession } from '@parley/contracts'
import { narrowTools, toSessionView } from '@parley/engine'
import { interviewerPack } from '../interview/interviewer-pack.ts'
import { agentOfPack, firstMessageOfPack } from '../packs/agent-of-pack.ts'
import { type PromotedRead, requirePack } from '../packs/session-pack.ts'
import { buildSessionDynamicExtras, EXTRAS_MS } from '../starting/build-session-dynamic-extras.ts'
import { variablesFor } from '../starting/prepare-conversation.ts'
import { type StartSteps, tooLate } from '../starting/start-session.ts'
import type { SessionOpening, SessionStartHost } from '../starting/starting-host.ts'
import { withinDeadline } from '../starting/within-deadline.ts'
import type { ReflectionSessionsHost } from './sessions-host.ts'
import { NO_FOLDER, type StartRequest } from './start-request.ts'

type TypedOpening = SessionOpening & Pick<StartRequest, 'reflection' | 'title' | 'variables'>

/** A typed start makes a session of the engine whose agent speaks by the promoted pack. */
export const typedSteps = (
  opening: TypedOpening,
  host: ReflectionSessionsHost,
  starting: SessionStartHost,
): StartSteps<StartedSession> => {
  const { sessionId, personId, title, variables } = opening
  return {
    async prepare(plan, signal) {
      const { mode, audience, surface } = plan
      const { agent, ...greeting } = await prepareAgent({ ...opening, plan }, host, starting, signal)
      if (signal.aborted) throw tooLate()
      if (plan.ingestion === 'off-record') host.offRecord.admit(sessionId, personId, 'reflection')
      const session = await host.sessions.start(
        {
          id: sessionId,
          ownerId: personId,
          channel: 'text',
          agent,
          context: { ...NO_FOLDER, ...(variables && { variables }) },
          ...(title !== undefined && { title }),
        },
        signal,
      )
      if (signal.aborted) throw tooLate()
      return {
        activate: (within) => starting.sessions.activate(sessionId, surface, within),
        answer: {
          ...toSessionView({ session, lastSequence: 1 }, { mayWrite: true }),
          mode,
          audience,
          surface,
          ...greeting,
        },
      }
    },
    discard: () =>
      host.store
        .find(sessionId)
        .then((record) => record && host.sessions.remove(sessionId))
        .finally(() => host.offRecord.forget(sessionId)),
  }
}

interface PreparedAgent extends Pick<StartedSession, 'firstMessage' | 'cut' | 'warnings'> {
  readonly agent: Agent
}

/** The agent of the promoted pack, of the generic one or of the interviewer, with the session's variables filled in. */
async function prepareAgent(
  opening: TypedOpening,
  host: ReflectionSessionsHost,
  { sha256, wait }: SessionStartHost,
  signal: AbortSignal,
): Promise<PreparedAgent> {
  const { plan, reflection, sources } = opening
  const readPromoted = async (): Promise<PromotedRead> => {
    try {
      const artifacts = await withinDeadline(sources.promoted, EXTRAS_MS, wait, signal)
      return artifacts === 'too late' ? { failure: artifacts } : { artifacts }
    } catch (failure) {
      return { failure }
    }
  }
  const chosen =
    plan.mode === 'interview'
      ? ({ agent: 'own', pack: interviewerPack(sha256) } as const)
      : requirePack(plan, reflection, await readPromoted(), sha256)
  const extras = await buildSessionDynamicExtras(opening, { wait, sha256 }, signal)
  const { variables, cut } = variablesFor(opening, chosen.agent, extras, { bindSig: NO_SIGNATURE, sha256 })
  const model = host.defaultAgent()
  return {
    agent: narrowTools(agentOfPack(chosen.pack, variables, model), plan.actions),
    firstMessage: firstMessageOfPack(chosen.pack, variables),
    cut: [...cut],
    warnings: [...('warning' in chosen ? [chosen.warning] : []), ...extras.warnings],
  }
}

/** The tools of a typed session run in our own engine, so no call needs a signature. */
const NO_SIGNATURE = () => ''
