import { PlatformError, type StartSession } from '@parley/contracts'
import type { StartRequest } from '@parley/reflections'
import type { Caller } from '../auth/authenticate.ts'
import { reflectionFor } from '../auth/enter-reflection.ts'
import type { Services } from '../services.ts'

/** What a member asks for who wants to type with a reflection; undefined where no reflection is named. */
export async function typedRequest(
  body: StartSession,
  caller: Caller,
  { reflections }: Pick<Services, 'reflections'>,
): Promise<StartRequest | undefined> {
  const { reflectionId, agentType, mode, roomPrefix, offRecord = false, title, context } = body
  if (reflectionId === undefined) {
    const named = OF_REFLECTIONS.find((key) => body[key] !== undefined)
    if (named !== undefined)
      throw wrong(`${named} is for a session with a reflection: name one by reflectionId.`)
    return undefined
  }
  const named = OF_AGENTS.find((key) => body[key] !== undefined)
  if (named !== undefined) {
    throw wrong(`A reflection speaks with its own agent: leave out ${named}, or leave out reflectionId.`)
  }
  const entered = await reflectionFor(caller, reflectionId, reflections)
  return {
    ...entered,
    personId: caller.personId,
    audience: 'private',
    hints: { agentType, mode, roomPrefix },
    offRecord,
    ...(title !== undefined && { title }),
    ...(context?.variables && { variables: context.variables }),
  }
}

const OF_REFLECTIONS = ['agentType', 'mode', 'roomPrefix'] as const
const OF_AGENTS = ['agent', 'agentId', 'tools'] as const

const wrong = (message: string) => new PlatformError('validation', { message })
