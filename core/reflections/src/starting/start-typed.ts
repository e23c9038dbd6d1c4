import type { Agent, StartedSession } from '@parley/contracts'
import { narrowTools, toSessionView, withinDeadline } from '@parley/engine'
import { buildInterviewerPack } from '../packs/shared-packs.ts'
import { buildSessionAgent, fillFirstMessage } from '../packs/build-session-agent.ts'
import { type PromotedRead, requirePack } from '../packs/choose-pack.ts'
import { buildSessionDynamicExtras, EXTRAS_MS, buildSessionVariables } from './session-variables.ts'
import {
  type StartTime,
  confirmActive,
  createStartTimeoutError,
  openSession,
  startOrUndo,
} from './start-session.ts'
import { type PlannedSession, type StartHost, type TypedStartHost, NO_FOLDER } from './starting-host.ts'

/** Starts a session of our own engine, whose agent uses the promoted pack. */
export const startTyped = (
  planned: PlannedSession,
  host: TypedStartHost,
  time: StartTime,
): Promise<StartedSession> => {
  const { sessionId, personId, title, variables } = planned
  return startOrUndo(planned, { begin, discard }, host, time)

  async function begin(signal: AbortSignal): Promise<StartedSession> {
    const session = { ...planned, plan: await openSession(planned, host, signal) }
    const { mode, audience, surface, ingestion } = session.plan
    const { agent, ...greeting } = await prepareAgent(session, host, signal)
    if (signal.aborted) throw createStartTimeoutError()
    if (ingestion === 'off-record') host.offRecord.admit(sessionId, personId, 'reflection')
    const started = await host.sessions.start(
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
    const isActive = await host.sessionRows.activateTyped(sessionId, surface, signal)
    await confirmActive(isActive, session, host, signal)
    const view = toSessionView({ session: started, lastSequence: 1 }, { mayWrite: true })
    return { ...view, mode, audience, surface, ...greeting }
  }

  function discard() {
    return host.store
      .find(sessionId)
      .then((record) => record && host.sessions.remove(sessionId))
      .finally(() => host.offRecord.forget(sessionId))
  }
}

interface PreparedAgent extends Pick<StartedSession, 'firstMessage' | 'cut' | 'warnings'> {
  readonly agent: Agent
}

/** The agent of the promoted pack, of the generic one or of the interviewer, with the session's variables filled in. */
async function prepareAgent(
  session: PlannedSession,
  { getDefaultAgent, sha256, wait }: StartHost,
  signal: AbortSignal,
): Promise<PreparedAgent> {
  const { plan, reflection, inputs } = session
  const readPromoted = async (): Promise<PromotedRead> => {
    try {
      const artifacts = await withinDeadline(inputs.readPromoted, EXTRAS_MS, wait, signal)
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
  const model = getDefaultAgent()
  return {
    agent: narrowTools(buildSessionAgent(chosen.pack, variables, model), plan.actions),
    firstMessage: fillFirstMessage(chosen.pack, variables),
    cut: [...cut],
    warnings: [...('warning' in chosen ? [chosen.warning] : []), ...extras.warnings],
  }
}

/** The tools of a typed session run in our own engine, so no call needs a signature. */
const NO_SIGNATURE = () => ''
