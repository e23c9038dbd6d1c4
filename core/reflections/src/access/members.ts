import {
  type Member,
  type MemberNamespaces,
  type MemberRole,
  type PersonId,
  PlatformError,
  type ReflectionId,
  type SetMember,
} from '@parley/contracts'
import { checkMemberChange } from './check-changes.ts'
import { decideTokenExpiry } from './token-rules.ts'

/** A member of a reflection who changes its members. */
export interface ActingMember {
  readonly reflectionId: ReflectionId
  readonly personId: PersonId
  readonly role: MemberRole
}

interface NewInvitee {
  readonly personId: PersonId
  readonly tokenHash: Uint8Array
}

interface Invitation extends NewInvitee {
  readonly label: string
  readonly role: MemberRole
  readonly namespaces?: MemberNamespaces | undefined
  readonly expiresAt: string
}

interface MemberStore {
  listMembers(reflectionId: ReflectionId): Promise<readonly Member[]>
  setMember(reflectionId: ReflectionId, member: SetMember, by: PersonId): Promise<void>
  invite(reflectionId: ReflectionId, invitation: Invitation, by: PersonId): Promise<void>
  inviteAgain(
    reflectionId: ReflectionId,
    invitation: Pick<Invitation, 'personId' | 'tokenHash' | 'expiresAt'>,
    by: PersonId,
  ): Promise<unknown>
  removeMember(reflectionId: ReflectionId, personId: PersonId, by: PersonId): Promise<void>
}

interface InviteHost {
  readonly reflections: MemberStore
  readonly now: () => number
}

type InvitedMember = Member & { readonly expiresAt: string }

/** Adds a person as a member, or changes their role and namespaces. */
export async function setMember(
  { reflectionId, personId, role }: ActingMember,
  change: SetMember,
  store: MemberStore,
): Promise<Member> {
  checkMemberChange(role, await store.listMembers(reflectionId), change)
  await store.setMember(reflectionId, change, personId)
  return findMember(reflectionId, change.personId, store)
}

export async function removeMember(by: ActingMember, personId: PersonId, store: MemberStore): Promise<void> {
  checkMemberChange(by.role, await store.listMembers(by.reflectionId), { personId })
  await store.removeMember(by.reflectionId, personId, by.personId)
}

/** Adds a new person as a member. Their token is valid as long as any token by default. */
export async function inviteMember(
  by: ActingMember,
  invited: Omit<Invitation, 'expiresAt'>,
  { reflections, now }: InviteHost,
): Promise<InvitedMember> {
  checkMemberChange(by.role, [], invited)
  const expiresAt = decideTokenExpiry(undefined, now())
  await reflections.invite(by.reflectionId, { ...invited, expiresAt }, by.personId)
  return { ...(await findMember(by.reflectionId, invited.personId, reflections)), expiresAt }
}

/** Replaces the token of an invited person. The caller must be allowed to grant the role that the person has. */
export async function renewInvitation(
  by: ActingMember,
  { personId, tokenHash }: NewInvitee,
  { reflections, now }: InviteHost,
): Promise<InvitedMember> {
  const members = await reflections.listMembers(by.reflectionId)
  const role = members.find((member) => member.personId === personId)?.role ?? 'viewer'
  checkMemberChange(by.role, members, { personId, role })
  const expiresAt = decideTokenExpiry(undefined, now())
  await reflections.inviteAgain(by.reflectionId, { personId, tokenHash, expiresAt }, by.personId)
  return { ...(await findMember(by.reflectionId, personId, reflections)), expiresAt }
}

/** Ends the caller's own membership. The server's owner may change a reflection without being its member. */
export async function leaveReflection(member: ActingMember, store: MemberStore): Promise<void> {
  const members = await store.listMembers(member.reflectionId)
  if (!members.some(({ personId }) => personId === member.personId)) {
    throw new PlatformError('validation', { message: 'You are not a member of this reflection.' })
  }
  checkMemberChange(member.role, members, { personId: member.personId })
  await store.removeMember(member.reflectionId, member.personId, member.personId)
}

async function findMember(
  reflectionId: ReflectionId,
  personId: PersonId,
  store: MemberStore,
): Promise<Member> {
  const member = (await store.listMembers(reflectionId)).find((each) => each.personId === personId)
  if (member) return member
  throw new PlatformError('not_found', {
    message: `${personId} was removed from this reflection by somebody else.`,
  })
}
