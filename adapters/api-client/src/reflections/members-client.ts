import {
  AuditPage,
  Invitation,
  type InviteMember,
  Member,
  MemberList,
  type PersonId,
  type ReflectionId,
  type SetMember,
} from '@parley/contracts'
import { type Api, ask, queryOf, request } from '../request.ts'
import { at, type OfReflection, type PageQuery } from './of-reflection.ts'

/** Who may do what with a reflection, and who did what. */
export interface MembersClient {
  members(reflectionId: ReflectionId): Promise<readonly Member[]>
  setMember(member: OfReflection & SetMember): Promise<Member>
  /** Their link is told this once. */
  invite(person: OfReflection & InviteMember): Promise<Invitation>
  /** Another link for the same person, told this once; the one that they had ends. */
  inviteAgain(member: OfReflection & { readonly personId: PersonId }): Promise<Invitation>
  removeMember(member: OfReflection & { readonly personId: PersonId }): Promise<void>
  /** Whoever calls is a member no more. */
  leave(reflectionId: ReflectionId): Promise<void>
  /** What was done to it, and by whom; latest first. */
  audit(page: PageQuery & OfReflection): Promise<AuditPage>
}

export const createMembersClient = (api: Api): MembersClient => ({
  members: async (reflectionId) => (await ask(api, MemberList, 'GET', at(reflectionId, 'members'))).items,
  setMember: ({ reflectionId, ...body }) => ask(api, Member, 'PUT', at(reflectionId, 'members'), { body }),
  invite: ({ reflectionId, ...body }) =>
    ask(api, Invitation, 'POST', at(reflectionId, 'invitations'), { body }),
  inviteAgain: ({ reflectionId, personId }) =>
    ask(api, Invitation, 'POST', at(reflectionId, 'members', personId, 'link'), { body: {} }),
  removeMember: async ({ reflectionId, personId }) =>
    void (await request(api, 'DELETE', at(reflectionId, 'members', personId), {})),
  leave: async (reflectionId) => void (await request(api, 'POST', at(reflectionId, 'leave'), { body: {} })),
  audit: ({ reflectionId, ...page }) =>
    ask(api, AuditPage, 'GET', `${at(reflectionId, 'audit')}${queryOf({ ...page })}`),
})
