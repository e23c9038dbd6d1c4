import {
  type MemberRole,
  type PersonId,
  PlatformError,
  type Reflection,
  type ReflectionId,
  type Role,
} from '@parley/contracts'
import type { NamespaceReach } from './session-role.ts'

/** The namespaces that a member reads, and the chosen ones among them that the member also changes. */
export interface WritableReach extends NamespaceReach {
  readonly chosen: readonly string[]
}

interface Membership {
  readonly role: MemberRole
  /** Absent for members who reach everything. */
  readonly reach?: WritableReach
}

export interface MembershipReader {
  find(reflectionId: ReflectionId): Promise<Reflection | undefined>
  findMember(reflectionId: ReflectionId, personId: PersonId): Promise<Membership | undefined>
}

/** A reflection with only the namespaces that the caller reaches, and the caller's membership. */
interface EnteredReflection extends Membership {
  readonly reflection: Reflection
}

/** The reflection and the caller's role on it. For non-members it does not exist; the server's owner owns all of them. */
export async function enterReflection(
  caller: { readonly personId: PersonId; readonly role: Role },
  reflectionId: ReflectionId,
  reflections: MembershipReader,
): Promise<EnteredReflection> {
  const [reflection, member] = await Promise.all([
    reflections.find(reflectionId),
    caller.role === 'owner' ? SERVER_OWNER : reflections.findMember(reflectionId, caller.personId),
  ])
  if (reflection && member) return { ...member, reflection: limitToReach(reflection, member.reach) }
  throw new PlatformError('reflection_not_found', {
    reflectionId,
    message: `There is no reflection ${reflectionId}.`,
  })
}

/** The reflections that the caller may enter, with their role: all, as their owner, for the server's owner. */
export async function listReflections<Query extends object, Page extends { items: readonly Reflection[] }>(
  { personId, role }: { readonly personId: PersonId; readonly role: Role },
  query: Query,
  reflections: { list(query: Query & { readonly personId?: PersonId }): Promise<Page> },
) {
  const { items, ...page } = await reflections.list(role === 'owner' ? query : { ...query, personId })
  return { ...page, items: role === 'owner' ? items.map((each) => ({ ...each, role })) : [...items] }
}

const SERVER_OWNER: Membership = { role: 'owner' }

const limitToReach = (reflection: Reflection, reach: WritableReach | undefined): Reflection =>
  reach
    ? {
        ...reflection,
        namespaces: reflection.namespaces.filter(({ name }) => reach.namespaces.includes(name)),
      }
    : reflection

/** Throws if a member with limited reach would change a namespace that was not chosen for them. */
export function refuseWrite(reach: WritableReach | undefined, namespaces: readonly string[]): void {
  const refused = reach && namespaces.find((name) => !reach.chosen.includes(name))
  if (refused === undefined) return
  const chosen = reach?.chosen.length
    ? `You can work in: ${reach.chosen.join(', ')}.`
    : 'You can work in none.'
  throw new PlatformError('forbidden', {
    message: `You cannot change the namespace ${refused}. ${chosen} The reflection's owner or an admin can change that.`,
  })
}
