import { createHash } from 'node:crypto'
import { type Agent, PlatformError, type Reflection } from '@parley/contracts'
import { narrowTools } from '@parley/engine'
import { agentOfPack, type Conversation, type ConversationRecord, interviewerPack } from '@parley/voice'
import type { Services } from '../services.ts'
import { NOWHERE } from './nowhere.ts'
import { packFor } from './typed-plan.ts'

interface Recorded extends Omit<Conversation, 'reflection'> {
  readonly reflection: Reflection
  readonly title?: string | undefined
}

/** The session that a call is read, resumed and exported as. */
export function recordOf(
  { sessionId, personId, title, ...conversation }: Recorded,
  services: Pick<Services, 'sessions' | 'agents' | 'defaultAgentId'>,
): ConversationRecord {
  const { sessions } = services
  return {
    async keep(variables) {
      const agent = await snapshotOf(conversation, variables, services)
      const named = title === undefined ? {} : { title }
      await sessions.start({
        id: sessionId,
        ownerId: personId,
        channel: 'voice',
        agent,
        context: NOWHERE,
        ...named,
      })
    },

    async discard() {
      await sessions.remove(sessionId).catch((failure: unknown) => {
        if (!(failure instanceof PlatformError && failure.code === 'session_not_found')) throw failure
      })
    },
  }
}

/** Who will answer where a call is gone on with in writing. */
async function snapshotOf(
  { reflection, plan, sources }: Pick<Recorded, 'reflection' | 'plan' | 'sources'>,
  variables: Readonly<Record<string, string>>,
  { agents, defaultAgentId }: Pick<Services, 'agents' | 'defaultAgentId'>,
): Promise<Agent> {
  const standing = agents.get(defaultAgentId)
  if (!standing)
    throw new PlatformError('agent_not_found', { message: `There is no agent ${defaultAgentId}.` })
  if (plan.mode === 'interview') return agentOfPack(interviewerPack(sha256), variables, standing)
  const promoted = await sources.promoted(new AbortController().signal)
  const { pack } = packFor(plan, reflection, promoted)
  return narrowTools(agentOfPack(pack, variables, standing), plan.actions)
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
