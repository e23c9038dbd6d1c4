import { createHash } from 'node:crypto'
import { type Agent, PlatformError, type SessionId, type StartedSession } from '@parley/contracts'
import { narrowTools } from '@parley/engine'
import {
  agentOfPack,
  buildSessionDynamicExtras,
  firstMessageOfPack,
  interviewerPack,
  type ReflectionSession,
  type SessionPlan,
  variablesFor,
  type Wait,
} from '@parley/voice'
import type { Services } from '../services.ts'
import { extraSources, promotedFor } from './extra-sources.ts'
import type { StartRequest } from './start-request.ts'
import { packFor } from './typed-plan.ts'

interface TypedFor extends Pick<StartRequest, 'reflection' | 'personId' | 'reach'> {
  readonly sessionId: SessionId
  readonly plan: SessionPlan
  readonly earlier: readonly ReflectionSession[]
}

interface SpokenFor extends Pick<StartedSession, 'firstMessage' | 'cut' | 'warnings'> {
  readonly agent: Agent
}

/** The agent of the promoted pack, a generic one until there is any, or the interviewer, with what this session is told put in. */
export async function typedAgent(
  { sessionId, plan, reflection, personId, earlier, reach }: TypedFor,
  services: Services,
  wait: Wait,
  signal: AbortSignal,
): Promise<SpokenFor> {
  const toldTo = { ...plan, reflectionId: reflection.id, reach }
  const promoted = await promotedFor(toldTo, services)
  const speaking = plan.mode === 'interview' ? INTERVIEWER : packFor(plan, reflection, promoted)
  const { agent: kind, pack } = speaking
  // What the session is told is of the generation that its pack is of.
  const sources = {
    ...extraSources(toldTo, earlier, services),
    promoted: async () => promoted,
  }
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

/** Nobody outside calls the tools of a typed session. */
const bindSig = () => ''

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

const INTERVIEWER = { agent: 'own', pack: interviewerPack(sha256) } as const
