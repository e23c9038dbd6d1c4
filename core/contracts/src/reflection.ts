import { z } from 'zod'
import { PersonId, ReflectionId } from './ids.ts'
import { kebabIdSchema } from './kebab-id.ts'
import { PersonName } from './person-name.ts'
import { Role } from './role.ts'
import { strictObject } from './strict-object.ts'

/** What a reflection's knowledge is divided into, by name. */
export const NamespaceName = kebabIdSchema

/** Transcripts go there, and it cannot be published. */
export const CONVERSATIONS = 'conversations'

const Name = z.string().trim().min(1).max(200)

export const MemberRole = Role.exclude(['guest'])
export type MemberRole = z.infer<typeof MemberRole>

export const Namespace = z.object({ name: NamespaceName, isPublished: z.boolean() })
export type Namespace = z.infer<typeof Namespace>

/** Whether extracted facts become active by rule, or wait for a person. */
export const Approval = z.enum(['by_rule', 'by_person'])
export type Approval = z.infer<typeof Approval>

/** The voice that a reflection speaks with. One of the provider's own is nobody's; one made from a person's needs their word. */
export const ReflectionVoice = z.strictObject({
  voiceId: z.string().min(1).max(200),
  kind: z.enum(['stock', 'clone']),
  /** That the person whose voice it is agrees. */
  consent: z.boolean(),
  /** The provider was asked for it, and has no such voice. */
  isUnlisted: z.literal(true).optional(),
})
export type ReflectionVoice = z.infer<typeof ReflectionVoice>

/**
 * Which private namespaces a member reads: all of them, those of later too, or the named ones. The published ones they read
 * anyway. Owners and admins read all.
 */
export const MemberNamespaces = z.union([z.literal('all'), z.array(NamespaceName).max(1_000)])
export type MemberNamespaces = z.infer<typeof MemberNamespaces>

export const Reflection = z.object({
  id: ReflectionId,
  displayName: Name,
  creatorName: Name.optional(),
  approval: Approval,
  /** The same of what is said in sessions; a person's, where it is absent. */
  conversationApproval: Approval.optional(),
  /** Rises with each publish and unpublish, and with each source that is replaced or removed. */
  publishRevision: z.int().min(0),
  /** Rises with each change of the facts and passages that can be found. */
  knowledgeRevision: z.int().min(0),
  namespaces: z.array(Namespace),
  voice: ReflectionVoice.optional(),
  /** Whether what visitors say is learned from. */
  shareIngestion: z.boolean(),
  createdAt: z.iso.datetime(),
  /** What whoever asks is to it, by the server's own records; the API tells it with every reflection. */
  role: MemberRole.optional(),
  /** Of whoever asks for one: which private namespaces they read. The others are left out of `namespaces`. */
  reads: MemberNamespaces.optional(),
})
export type Reflection = z.infer<typeof Reflection>

export const Member = z.object({
  personId: PersonId,
  label: z.string(),
  role: MemberRole,
  namespaces: MemberNamespaces,
  /** Of who was invited: when they can sign in no more. */
  invitedUntil: z.iso.datetime().optional(),
})
export type Member = z.infer<typeof Member>

export const CreateReflection = strictObject({
  displayName: Name,
  creatorName: Name.optional(),
  approval: Approval.optional(),
})
export type CreateReflection = z.infer<typeof CreateReflection>

export const ChangeReflection = strictObject({
  displayName: Name.optional(),
  /** Null takes it away. */
  creatorName: Name.nullable().optional(),
  approval: Approval.optional(),
  conversationApproval: Approval.optional(),
  /** Null takes it away. A voice is taken for a clone unless it is said to be stock. */
  voice: ReflectionVoice.omit({ isUnlisted: true })
    .partial({ kind: true, consent: true })
    .nullable()
    .optional(),
  shareIngestion: z.boolean().optional(),
})
export type ChangeReflection = z.infer<typeof ChangeReflection>

/** A change with what the provider says of the voice that it names. */
export type SettledChange = Omit<ChangeReflection, 'voice'> & {
  readonly voice?:
    | (NonNullable<ChangeReflection['voice']> & Pick<ReflectionVoice, 'isUnlisted'>)
    | null
    | undefined
}

export const AddNamespace = strictObject({ name: NamespaceName })
export const SetMember = strictObject({
  personId: PersonId,
  role: MemberRole,
  /** Left as they are where absent; a new viewer or operator then reads the published ones only. */
  namespaces: MemberNamespaces.optional(),
})
export type SetMember = z.infer<typeof SetMember>

/** Somebody who is not known yet, by the name that they are to have here. */
export const InviteMember = strictObject({
  label: PersonName,
  role: MemberRole,
  /** Where absent, a viewer or operator reads the published ones only. */
  namespaces: MemberNamespaces.optional(),
})
export type InviteMember = z.infer<typeof InviteMember>

export const Invitation = Member.extend({
  /** Signs the person in. Shown this once: only the hash of its token is kept. */
  url: z.string(),
  expiresAt: z.iso.datetime(),
})
export type Invitation = z.infer<typeof Invitation>

/** Nothing else is said by who leaves, or asks for a member's new link. */
export const NothingMore = strictObject({})

export const ReflectionRef = z.object({ reflectionId: ReflectionId })
