import { z } from 'zod'
import { PersonId, ReflectionId } from './ids.ts'
import { KebabId } from './kebab-id.ts'
import { Role } from './role.ts'
import { strictObject } from './strict-object.ts'

/** What a reflection's knowledge is divided into, by name. */
export const NamespaceName = KebabId

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

export const Reflection = z.object({
  id: ReflectionId,
  displayName: Name,
  creatorName: Name.optional(),
  approval: Approval,
  /** Rises with each publish and unpublish. */
  publishRevision: z.int().min(0),
  namespaces: z.array(Namespace),
  createdAt: z.iso.datetime(),
  /** What whoever asks is to it, by the server's own records; the API tells it with every reflection. */
  role: MemberRole.optional(),
})
export type Reflection = z.infer<typeof Reflection>

export const Member = z.object({ personId: PersonId, label: z.string(), role: MemberRole })
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
})
export type ChangeReflection = z.infer<typeof ChangeReflection>

export const AddNamespace = strictObject({ name: NamespaceName })
export const ChangePublished = strictObject({ namespaces: z.array(NamespaceName).min(1).max(100) })
export const SetMember = strictObject({ personId: PersonId, role: MemberRole })
export const ReflectionRef = z.object({ reflectionId: ReflectionId })
