import { createHash } from 'node:crypto'
import { type Agent, PlatformError, type SessionId, type StartedSession } from '@parley/contracts'
import { narrowTools } from '@parley/engine'
import {
  agentOfPack,
  buildSessionDynamicExtras,
  firstMessageOfPack,
  interviewerPack,
  EXTRAS_MS,
  type ExtraSources,
  type SessionPlan,
  variablesFor,
  type Wait,
  withinDeadline,
} from '@parley/reflections'
import type { Services } from '../services.ts'
import type { StartRequest } from './start-request.ts'
import { packFor, type PromotedRead } from './typed-plan.ts'

interface TypedFor extends Pick<StartRequest, 'reflection' | 'personId'> {
  readonly sessionId: SessionId
  readonly plan: SessionPlan
  readonly sources: ExtraSources
}

interface SpokenFor extends Pick<StartedSession, 'firstMessage' | 'cut' | 'warnings'> {
  readonly agent: Agent
}

/** The agent of the promoted pack, a generic one until there is any, or the interviewer, with what this session is told put in. */
export async function typedAgent(
  { sessionId, plan, reflection, personId, sources }: TypedFor,
  services: Services,
  wait: Wait,
  signal: AbortSignal,
): Promise<SpokenFor> {
  const speaking =
    plan.mode === 'interview'
      ? INTERVIEWER
      : packFor(plan, reflection, await promotedIn(sources, wait, signal))
  const { agent: kind, pack } = speaking
  const extras = await buildSessionDynamicExtras({ reflection, plan, sources }, { wait, sha256 }, signal)
  const { variables, cut } = variablesFor({ sessionId, reflection, personId, plan }, kind, extras, {
    bindSig,
    sha256,
  })
  const model = services.agents.get(services.defaultAgentId)
  if (!model)
    throw new PlatformError('internal', { message: 'This server has no agent to take a model from.' })
  return {
    agent: narrowTools(agentOfPack(pack, variables, model), plan.actions),
    firstMessage: firstMessageOfPack(pack, variables),
    cut: [...cut],
    warnings: [...('warning' in speaking ? [speaking.warning] : []), ...extras.warnings],
  }
}

async function promotedIn(
  sources: Pick<ExtraSources, 'promoted'>,
  wait: Wait,
  signal: AbortSignal,
): Promise<PromotedRead> {
  try {
    const artifacts = await withinDeadline(sources.promoted, EXTRAS_MS, wait, signal)
    return artifacts === 'too late' ? { failure: artifacts } : { artifacts }
  } catch (failure) {
    return { failure }
  }
}

/** Nobody outside calls the tools of a typed session. */
const bindSig = () => ''

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

const INTERVIEWER = { agent: 'own', pack: interviewerPack(sha256) } as const
