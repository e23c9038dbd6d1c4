import { createHash } from 'node:crypto'
import { type Agent, PlatformError, type Reflection } from '@parley/contracts'
import { narrowTools } from '@parley/engine'
import { agentOfPack, type Conversation, type ConversationRecord, interviewerPack } from '@parley/reflections'
import type { Services } from '../services.ts'
import { NOWHERE } from './nowhere.ts'
import { packFor } from './typed-plan.ts'

interface Recorded extends Omit<Conversation, 'reflection' | 'plan'> {
  readonly reflection: Reflection
  readonly title?: string | undefined
}

/** The session that a call is read, resumed and exported as. */
export function recordOf(
  { sessionId, personId, title, ...conversation }: Recorded,
  services: Pick<Services, 'sessions' | 'agents' | 'defaultAgentId'>,
): ConversationRecord {
  const { sessions } = services
  let keeping: Promise<unknown> | undefined
  return {
    async keep(variables, plan, signal) {
      const agent = await snapshotOf({ ...conversation, plan }, variables, services, signal)
      const named = title === undefined ? {} : { title }
      const opening = { id: sessionId, ownerId: personId, agent, context: NOWHERE, ...named }
      keeping = sessions.start({ ...opening, channel: 'voice' }, signal)
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

/** Who will answer where a call is gone on with in writing. */
async function snapshotOf(
  { reflection, plan, sources }: Pick<Recorded, 'reflection' | 'sources'> & Pick<Conversation, 'plan'>,
  variables: Readonly<Record<string, string>>,
  { agents, defaultAgentId }: Pick<Services, 'agents' | 'defaultAgentId'>,
  signal: AbortSignal,
): Promise<Agent> {
  const standing = agents.get(defaultAgentId)
  if (!standing)
    throw new PlatformError('agent_not_found', { message: `There is no agent ${defaultAgentId}.` })
  if (plan.mode === 'interview') return agentOfPack(interviewerPack(sha256), variables, standing)
  const read = await sources.promoted(signal).then(
    (artifacts) => ({ artifacts }),
    (failure: unknown) => ({ failure }),
  )
  const { pack } = packFor(plan, reflection, read)
  return narrowTools(agentOfPack(pack, variables, standing), plan.actions)
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
