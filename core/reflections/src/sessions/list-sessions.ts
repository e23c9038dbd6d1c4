import {
  ListSessions,
  type ListedSession,
  type PersonId,
  PlatformError,
  type ReflectionId,
} from '@parley/contracts'
import { type AgentSessionRecord, type SessionQuery, sessionView } from '@parley/engine'
import { isAtLeast } from '@parley/reflections'
import type { Caller } from '../auth/authenticate.ts'
import { isVisitor } from '../reflections/visitors.ts'
import type { Services } from '../services.ts'

/** Whose sessions somebody looks through: their own, or all; of either, those that they may read. */
export const whoseSessions = (
  { personId }: Caller,
  whose: ListSessions['whose'],
): Pick<SessionQuery, 'ownerId' | 'reader'> =>
  whose === 'all' ? { reader: personId } : { ownerId: personId, reader: personId }

/** Asked for by somebody who has only their own. */
export async function refuseOthers(
  { role, personId }: Caller,
  whose: ListSessions['whose'],
  { reflections }: Pick<Services, 'reflections'>,
): Promise<void> {
  if (whose === 'own' || isAtLeast(role, 'admin') || (await reflections.runsAny(personId))) return
  throw new PlatformError('forbidden', {
    message: `The sessions of others are for admins, of the server or of a reflection; your token has ${role}. Leave out whose, or say whose=own.`,
  })
}

/** Sessions as a list shows them, with their reflection and their owner. */
export async function listedSessions(
  caller: Caller,
  records: readonly AgentSessionRecord[],
  services: Services,
): Promise<ListedSession[]> {
  const [reflections, labels] = await Promise.all([
    services.reflectionSessions.reflectionsOf(records.map(({ session }) => session.id)),
    labelsOfOthers(
      caller,
      records.map(({ session }) => session.ownerId),
      services,
    ),
  ])
  const isMember = await membershipOf(caller, new Set(reflections.values()), services)
  return records.map((record) => {
    const reflectionId = reflections.get(record.session.id)
    const ownerLabel = labels.get(record.session.ownerId)
    const isTheirs = record.session.ownerId === caller.personId
    const mayWrite = reflectionId === undefined || (isTheirs && isMember(reflectionId))
    return {
      ...sessionView(record, { mayWrite }),
      ...(reflectionId !== undefined && { reflectionId }),
      ...(ownerLabel !== undefined && { ownerLabel }),
    }
  })
}

/** Whether somebody still is one of those who may talk with a reflection. */
async function membershipOf(
  { personId }: Caller,
  reflectionIds: ReadonlySet<ReflectionId>,
  { roleOn }: Services,
): Promise<(reflectionId: ReflectionId) => boolean> {
  const roles = await Promise.all(
    [...reflectionIds].map(async (id) => [id, await roleOn(id, personId)] as const),
  )
  const known = new Map(roles)
  return (reflectionId) => known.get(reflectionId) !== undefined
}

/** The names of those whose sessions these are, but not the caller's own. */
export async function labelsOfOthers(
  { personId }: Caller,
  ownerIds: readonly PersonId[],
  { tokens }: Pick<Services, 'tokens'>,
): Promise<ReadonlyMap<string, string>> {
  const others = [...new Set(ownerIds)].filter((id) => id !== personId)
  if (others.length === 0) return new Map()
  const known = await tokens.labelsOf(others)
  const labelOf = (id: PersonId) => known.get(id) ?? (isVisitor(id) ? 'Visitor' : 'Somebody else')
  return new Map(others.map((id) => [id, labelOf(id)]))
}
