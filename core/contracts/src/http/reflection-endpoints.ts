import { z } from 'zod'
import { AuditPage } from '../account.ts'
import { LinkId, PersonId } from '../ids.ts'
import { AskReflection, RetrievalResult } from '../knowledge.ts'
import { PageQuery } from '../page.ts'
import {
  AgentTestReport,
  AuditAgents,
  DriftReport,
  SyncReflection,
  SyncStatus,
  TestAgents,
} from '../provider-agents.ts'
import {
  AddNamespace,
  ChangeReflection,
  CreateReflection,
  EmptyBody,
  Invitation,
  InviteMember,
  Member,
  MemberList,
  Namespace,
  PreviewPublish,
  PublishNamespaces,
  PublishPreview,
  Reflection,
  ReflectionPage,
  ReflectionSummary,
  SetMember,
  UnpublishNamespaces,
} from '../reflection.ts'
import { CreatedShareLink, CreateShareLink, ShareLinkList } from '../share-link.ts'
import { requireStorable } from '../text.ts'
import { ExploreNext, PreviewVariables, VariablesPreview } from '../variables-preview.ts'
import { LedgerPage, StoredGeneration } from '../voice-artifacts.ts'
import { jsonBody, defineEndpoints, jsonResponse, ReflectionRef } from './endpoint.ts'

const MemberRef = ReflectionRef.extend({ personId: PersonId })
const ShareLinkRef = ReflectionRef.extend({ linkId: LinkId })

const READABLE_NAMESPACES =
  'Viewers and operators read the published namespaces and those in `namespaces`; with `all`, every private one, including `conversations`. A new member without a list reads no private ones. Owners and admins read all.'

/** The largest number that the database column holds. */
const MAX_GENERATION = 2_147_483_647

export const REFLECTIONS = defineEndpoints('reflections', {
  listReflections: {
    method: 'get',
    path: '/v1/reflections',
    access: 'viewer',
    summary: 'List your reflections',
    description: 'Each with your role. The owner of the server lists all.',
    request: { query: PageQuery },
    responses: { 200: jsonResponse(ReflectionPage, 'A page of reflections') },
  },
  createReflection: {
    method: 'post',
    path: '/v1/reflections',
    access: 'admin',
    idempotent: true,
    summary: 'Create a reflection; you become its owner',
    request: { body: jsonBody(requireStorable(CreateReflection), { displayName: 'Ada Example' }) },
    responses: { 201: jsonResponse(Reflection, 'The new reflection') },
  },
  getReflection: {
    method: 'get',
    path: '/v1/reflections/{reflectionId}',
    access: 'member:viewer',
    summary: 'Get a reflection, with your role',
    request: { params: ReflectionRef },
    responses: { 200: jsonResponse(Reflection, 'The reflection') },
  },
  getReflectionSummary: {
    method: 'get',
    path: '/v1/reflections/{reflectionId}/summary',
    access: 'member:viewer',
    summary: 'Count the sources, facts and pending approvals of a reflection',
    request: { params: ReflectionRef },
    responses: { 200: jsonResponse(ReflectionSummary, 'The counts') },
  },
  changeReflection: {
    method: 'patch',
    path: '/v1/reflections/{reflectionId}',
    access: 'member:admin',
    summary: 'Change the names, voice, approval rules or visitor learning of a reflection',
    description:
      '`null` removes the creator’s name or the voice. The provider decides whether a listed voice is a stock voice; an unlisted one counts as a clone unless `kind` is `stock`. A clone needs `consent`. Only the owner may set consent, a stock voice or `shareIngestion`.',
    request: { params: ReflectionRef, body: jsonBody(requireStorable(ChangeReflection)) },
    responses: { 200: jsonResponse(Reflection, 'The reflection') },
  },
  removeReflection: {
    method: 'delete',
    path: '/v1/reflections/{reflectionId}',
    access: 'member:admin',
    summary: 'Remove a reflection and everything in it',
    description: 'It is unreachable when this responds; its contents are removed in the background.',
    request: { params: ReflectionRef },
    responses: { 204: { description: 'Removed' } },
  },
  addNamespace: {
    method: 'post',
    path: '/v1/reflections/{reflectionId}/namespaces',
    access: 'member:admin',
    idempotent: true,
    summary: 'Add a namespace, private until it is published',
    request: { params: ReflectionRef, body: jsonBody(AddNamespace, { name: 'essays' }) },
    responses: { 201: jsonResponse(Namespace, 'The new namespace') },
  },
  publishNamespaces: {
    method: 'post',
    path: '/v1/reflections/{reflectionId}/publish',
    access: 'member:admin',
    summary: 'Publish namespaces: all of them, or none',
    request: { params: ReflectionRef, body: jsonBody(PublishNamespaces, { namespaces: ['essays'] }) },
    responses: { 200: jsonResponse(Reflection, 'The reflection') },
  },
  unpublishNamespaces: {
    method: 'post',
    path: '/v1/reflections/{reflectionId}/unpublish',
    access: 'member:admin',
    summary: 'Unpublish namespaces, from the next question on',
    request: { params: ReflectionRef, body: jsonBody(UnpublishNamespaces, { namespaces: ['essays'] }) },
    responses: { 200: jsonResponse(Reflection, 'The reflection') },
  },
  previewPublish: {
    method: 'post',
    path: '/v1/reflections/{reflectionId}/publish-preview',
    access: 'member:admin',
    summary: 'Preview a publish or unpublish; nothing changes',
    description: 'Builds the public agent as it would be and compares it with the published one.',
    request: { params: ReflectionRef, body: jsonBody(PreviewPublish) },
    responses: { 200: jsonResponse(PublishPreview, 'The preview') },
  },
  listReflectionAudit: {
    method: 'get',
    path: '/v1/reflections/{reflectionId}/audit',
    access: 'member:owner',
    summary: 'List the actions on a reflection, latest first',
    request: { params: ReflectionRef, query: PageQuery },
    responses: { 200: jsonResponse(AuditPage, 'A page of actions') },
  },
  askReflection: {
    method: 'post',
    path: '/v1/reflections/{reflectionId}/ask',
    access: 'member:viewer',
    isCheckedOnce: true,
    summary: 'Search the sources for a question',
    description:
      'Returns passages and facts with their sources, best first, from all namespaces or the named ones. With the audience `public` it returns what a public session would find now. If the time limit is reached, the results so far are returned with `partial`.',
    request: {
      params: ReflectionRef,
      body: jsonBody(requireStorable(AskReflection), {
        query: 'When was the observatory built?',
        audience: 'public',
      }),
    },
    responses: { 200: jsonResponse(RetrievalResult, 'The evidence') },
  },
})

export const MEMBERS = defineEndpoints('members', {
  listMembers: {
    method: 'get',
    path: '/v1/reflections/{reflectionId}/members',
    access: 'member:admin',
    summary: 'List the members of a reflection',
    request: { params: ReflectionRef },
    responses: { 200: jsonResponse(MemberList, 'The members') },
  },
  setMember: {
    method: 'put',
    path: '/v1/reflections/{reflectionId}/members',
    access: 'member:admin',
    summary: 'Add a member or change their role, to at most your own',
    description: READABLE_NAMESPACES,
    request: {
      params: ReflectionRef,
      body: jsonBody(SetMember, {
        personId: 'per_4k2m9q7w1x8z5c3v6b0n',
        role: 'operator',
        namespaces: ['diary'],
      }),
    },
    responses: { 200: jsonResponse(Member, 'The member') },
  },
  addMember: {
    method: 'post',
    path: '/v1/reflections/{reflectionId}/members',
    access: 'member:admin',
    idempotent: true,
    summary: 'Add a member or change their role: the same as PUT',
    description: READABLE_NAMESPACES,
    request: {
      params: ReflectionRef,
      body: jsonBody(SetMember, {
        personId: 'per_4k2m9q7w1x8z5c3v6b0n',
        role: 'operator',
        namespaces: ['diary'],
      }),
    },
    responses: { 200: jsonResponse(Member, 'The member') },
  },
  removeMember: {
    method: 'delete',
    path: '/v1/reflections/{reflectionId}/members/{personId}',
    access: 'member:admin',
    summary: 'Remove a member',
    description: 'An invited person who is a member of nothing else is signed out for good.',
    request: { params: MemberRef },
    responses: { 204: { description: 'Removed' } },
  },
  inviteMember: {
    method: 'post',
    path: '/v1/reflections/{reflectionId}/invitations',
    access: 'member:admin',
    idempotent: true,
    summary: 'Invite a new person, with at most your own role',
    description: `The response has a sign-in link, valid for 90 days. The person becomes a member of this reflection and reaches nothing else on the server. To revoke it, remove the member. ${READABLE_NAMESPACES}`,
    request: {
      params: ReflectionRef,
      body: jsonBody(requireStorable(InviteMember), { label: 'Grace', role: 'viewer' }),
    },
    responses: { 201: jsonResponse(Invitation, 'The member, with a link that is shown only once') },
  },
  renewInvitation: {
    method: 'post',
    path: '/v1/reflections/{reflectionId}/members/{personId}/link',
    access: 'member:admin',
    idempotent: true,
    summary: 'Create a new sign-in link for an invited member',
    description:
      'Valid for 90 days. The previous link and its sign-ins end at once. Only for a person who is a member of this reflection alone.',
    request: { params: MemberRef, body: jsonBody(EmptyBody) },
    responses: { 201: jsonResponse(Invitation, 'The member, with a link that is shown only once') },
  },
  leaveReflection: {
    method: 'post',
    path: '/v1/reflections/{reflectionId}/leave',
    access: 'member:viewer',
    summary: 'Leave a reflection',
    description:
      'An invited person who is a member of nothing else is signed out for good. The only owner cannot leave.',
    request: { params: ReflectionRef, body: jsonBody(EmptyBody) },
    responses: { 204: { description: 'You left' } },
  },
  listShareLinks: {
    method: 'get',
    path: '/v1/reflections/{reflectionId}/share-links',
    access: 'member:admin',
    summary: 'List the share links, latest first; never their tokens',
    request: { params: ReflectionRef },
    responses: { 200: jsonResponse(ShareLinkList, 'The links') },
  },
  createShareLink: {
    method: 'post',
    path: '/v1/reflections/{reflectionId}/share-links',
    access: 'member:admin',
    idempotent: true,
    summary: 'Create a share link, for anybody to talk with the reflection',
    description:
      'A visitor reaches everything that is published at that moment, in the named namespaces or in all. Each started session counts as one use.',
    request: {
      params: ReflectionRef,
      body: jsonBody(CreateShareLink, { namespaces: ['essays'], maxUses: 100 }),
    },
    responses: {
      201: jsonResponse(CreatedShareLink, 'The link, with a token that is shown only once', {
        id: 'lnk_4k2m9q7w1x8z5c3v6b0n',
        reflectionId: 'rfl_4k2m9q7w1x8z5c3v6b0n',
        namespaces: ['essays'],
        reaches: ['essays'],
        maxUses: 100,
        uses: 0,
        createdAt: '2026-01-01T00:00:00.000Z',
        token: 'shr_made-up',
        url: 'https://parley.example.org/r/shr_made-up',
      }),
    },
  },
  revokeShareLink: {
    method: 'delete',
    path: '/v1/reflections/{reflectionId}/share-links/{linkId}',
    access: 'member:admin',
    summary: 'Revoke a share link and end its sessions at once',
    request: { params: ShareLinkRef },
    responses: { 204: { description: 'Revoked' } },
  },
})

export const RUNTIME = defineEndpoints('runtime', {
  listGenerations: {
    method: 'get',
    path: '/v1/reflections/{reflectionId}/artifacts',
    access: 'member:viewer',
    summary: 'List the versions of the agent and what happened to each, latest first',
    description:
      'Each entry has the hash of the previous entry and of its payload. `live` is the version in use.',
    request: { params: ReflectionRef, query: PageQuery },
    responses: { 200: jsonResponse(LedgerPage, 'A page of versions') },
  },
  getGeneration: {
    method: 'get',
    path: '/v1/reflections/{reflectionId}/artifacts/{generation}',
    access: 'member:admin',
    summary: 'Get a version as stored: evidence, dossiers and prompt packs, private ones included',
    description: 'Without `artifacts` if one of its sources was removed: then only the hash remains.',
    request: {
      params: ReflectionRef.extend({ generation: z.coerce.number().int().min(1).max(MAX_GENERATION) }),
    },
    responses: { 200: jsonResponse(StoredGeneration, 'The version') },
  },
  getSyncStatus: {
    method: 'get',
    path: '/v1/reflections/{reflectionId}/sync',
    access: 'member:viewer',
    summary: 'Compare the provider’s agents with the promoted and published version',
    request: { params: ReflectionRef },
    responses: { 200: jsonResponse(SyncStatus, 'The status of each surface') },
  },
  syncAgents: {
    method: 'post',
    path: '/v1/reflections/{reflectionId}/sync',
    access: 'member:admin',
    summary: 'Update the provider’s agents to the promoted version: one surface, or all',
    description: 'A surface that cannot have an agent yet is left unchanged and reported as such.',
    request: { params: ReflectionRef, body: jsonBody(SyncReflection) },
    responses: { 200: jsonResponse(SyncStatus, 'The status of each surface') },
  },
  auditAgents: {
    method: 'post',
    path: '/v1/reflections/{reflectionId}/audit',
    access: 'member:admin',
    summary: 'Compare the provider’s agents with their expected settings, field by field',
    description: 'With `repair`, differences are fixed, and the result is reported.',
    request: { params: ReflectionRef, body: jsonBody(AuditAgents) },
    responses: { 200: jsonResponse(DriftReport, 'The differences of each agent') },
  },
  testAgents: {
    method: 'post',
    path: '/v1/reflections/{reflectionId}/agent-tests',
    access: 'member:admin',
    summary: 'Test the agent of a surface at the provider, with tests made from its facts',
    description: 'Without `run` the tests are listed and not run.',
    request: { params: ReflectionRef, body: jsonBody(TestAgents) },
    responses: { 200: jsonResponse(AgentTestReport, 'The result of each test') },
  },
  previewVariables: {
    method: 'post',
    path: '/v1/reflections/{reflectionId}/variables',
    access: 'member:admin',
    summary: 'Preview the permissions and variables of a session',
    description:
      'A dry run of a session start. Nothing is started, stored or signed, and the provider is not called. Recap and context are your own, never another person’s.',
    request: { params: ReflectionRef, body: jsonBody(PreviewVariables) },
    responses: { 200: jsonResponse(VariablesPreview, 'The permissions and variables') },
  },
  listExploreNext: {
    method: 'get',
    path: '/v1/reflections/{reflectionId}/explore-next',
    access: 'member:operator',
    summary: 'List the questions that an interview with you would ask, in order',
    description: 'Open topics, without those you answered in an earlier interview.',
    request: { params: ReflectionRef },
    responses: { 200: jsonResponse(ExploreNext, 'The questions') },
  },
})
