import type { Agent, StartedSession } from '@parley/contracts'
import { narrowTools, toSessionView, withinDeadline } from '@parley/engine'
import { buildInterviewerPack } from '../packs/shared-packs.ts'
import { buildSessionAgent, fillFirstMessage } from '../packs/build-session-agent.ts'
import { type PromotedRead, requirePack } from '../packs/choose-pack.ts'
import { buildSessionDynamicExtras, EXTRAS_MS, buildSessionVariables } from '../starting/session-variables.ts'
import { type StartSteps, createStartTimeoutError } from '../starting/start-session.ts'
import type { PlannedSession, SessionStartHost } from '../starting/starting-host.ts'
import { type ReflectionSessionsHost, NO_FOLDER, type StartRequest } from './sessions-host.ts'

type NewTypedSession = PlannedSession & Pick<StartRequest, 'reflection' | 'title' | 'variables'>

/** A typed start creates a session of the engine, whose agent uses the promoted pack. */
export const createTypedSteps = (
  newSession: NewTypedSession,
  host: ReflectionSessionsHost,
  startHost: SessionStartHost,
): StartSteps<StartedSession> => {
  const { sessionId, personId, title, variables } = newSession
  return {
    async prepare(plan, signal) {
      const { mode, audience, surface } = plan
      const { agent, ...greeting } = await prepareAgent({ ...newSession, plan }, host, startHost, signal)
      if (signal.aborted) throw createStartTimeoutError()
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
      if (signal.aborted) throw createStartTimeoutError()
      return {
        activate: (timed) => startHost.sessionRows.activateTyped(sessionId, surface, timed),
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
  session: NewTypedSession,
  host: ReflectionSessionsHost,
  { sha256, wait }: SessionStartHost,
  signal: AbortSignal,
): Promise<PreparedAgent> {
  const { plan, reflection, sources } = session
  const readPromoted = async (): Promise<PromotedRead> => {
    try {
      const artifacts = await withinDeadline(sources.readPromoted, EXTRAS_MS, wait, signal)
      return artifacts === 'too late' ? { failure: artifacts } : { artifacts }
    } catch (failure) {
      return { failure }
    }
  }
  const chosen =
    plan.mode === 'interview'
      ? ({ agent: 'own', pack: buildInterviewerPack(sha256) } as const)
      : requirePack(plan, reflection, await readPromoted(), sha256)
  const extras = await buildSessionDynamicExtras(session, { wait, sha256 }, signal)
  const { variables, cut } = buildSessionVariables(session, chosen.agent, extras, {
    bindSig: NO_SIGNATURE,
    sha256,
  })
  const model = host.defaultAgent()
  return {
    agent: narrowTools(buildSessionAgent(chosen.pack, variables, model), plan.actions),
    firstMessage: fillFirstMessage(chosen.pack, variables),
    cut: [...cut],
    warnings: [...('warning' in chosen ? [chosen.warning] : []), ...extras.warnings],
  }
}

/** The tools of a typed session run in our own engine, so no call needs a signature. */
const NO_SIGNATURE = () => ''
