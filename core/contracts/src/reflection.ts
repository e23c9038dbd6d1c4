import { z } from 'zod'
import { Role } from './access.ts'
import { kebabIdSchema, PersonId, ReflectionId, SourceId } from './ids.ts'
import { createPageSchema } from './page.ts'
import { strictObject } from './strict-object.ts'
import { PersonName } from './text.ts'

/** Names a part of a reflection's knowledge. */
export const NamespaceName = kebabIdSchema

/** The namespace of transcripts, which cannot be published. */
export const CONVERSATIONS = 'conversations'

const Name = z.string().trim().min(1).max(200)

export const MemberRole = Role.exclude(['guest'])
export type MemberRole = z.infer<typeof MemberRole>

export const Namespace = z.object({ name: NamespaceName, isPublished: z.boolean() })
export type Namespace = z.infer<typeof Namespace>

/** Whether extracted facts become active by rule or wait for a person. */
export const FactApproval = z.enum(['by_rule', 'by_person'])
export type FactApproval = z.infer<typeof FactApproval>

/** A stock voice needs no consent; a clone needs that of its person. */
const VoiceKind = z.enum(['stock', 'clone'])

export const ReflectionVoice = z.strictObject({
  voiceId: z.string().min(1).max(200),
  kind: VoiceKind,
  /** The voice's person agrees. */
  consent: z.boolean(),
  /** The provider reported that it has no such voice. */
  isUnlisted: z.literal(true).optional(),
})
export type ReflectionVoice = z.infer<typeof ReflectionVoice>

/** Lists what prevents the use of a voice; empty if it is ready. */
export function findVoiceProblems(voice: ReflectionVoice | undefined): readonly string[] {
  if (!voice) return ['no voice is chosen']
  const isAllowed = voice.kind === 'stock' || voice.consent
  return [
    ...(voice.isUnlisted ? ['the voice provider has no such voice'] : []),
    ...(isAllowed ? [] : ['the person whose voice it is has not consented']),
  ]
}

/** A voice at the voice provider. */
export const ProviderVoice = z.object({
  voiceId: z.string().min(1),
  name: z.string(),
  description: z.string().optional(),
  kind: VoiceKind,
})
export type ProviderVoice = z.infer<typeof ProviderVoice>

export const ProviderVoices = z.object({ items: z.array(ProviderVoice) })

/**
 * The private namespaces that a member reads: all, including later ones, or the named ones. Every member reads the
 * published ones; owners and admins read all.
 */
export const MemberNamespaces = z.union([z.literal('all'), z.array(NamespaceName).max(1_000)])
export type MemberNamespaces = z.infer<typeof MemberNamespaces>

/** Describes what a member reads; the sentence follows their name. Screens say folder and public. */
export function formatReadAccess(
  reads: MemberNamespaces,
  all: readonly Namespace[],
  noun: 'namespace' | 'folder' = 'namespace',
): string {
  if (reads === 'all') return `can read all ${noun}s, the private ones too: ${joinNames(all)}`
  const published = noun === 'folder' ? 'public' : 'published'
  const publishedNames = listPublishedNamespaces({ namespaces: all }).join(', ')
  const chosenNames = joinNames(all.filter(({ name, isPublished }) => !isPublished && reads.includes(name)))
  if (chosenNames === '') {
    return publishedNames === ''
      ? `can read no ${noun}: none is ${published}, and none is chosen`
      : `can read the ${published} ${noun}s only: ${publishedNames}`
  }
  const rest = publishedNames === '' ? `none is ${published}` : `the ${published} ones: ${publishedNames}`
  return `can read these private ${noun}s: ${chosenNames}; and ${rest}`
}

const joinNames = (namespaces: readonly Namespace[]): string => namespaces.map(({ name }) => name).join(', ')

export const Reflection = z.object({
  id: ReflectionId,
  displayName: Name,
  creatorName: Name.optional(),
  approval: FactApproval,
  /** For facts from conversations; by a person if absent. */
  conversationApproval: FactApproval.optional(),
  /** Rises with each publish and unpublish, and with each replaced or removed source. */
  publishRevision: z.int().min(0),
  /** Rises with each change of searchable facts and passages. */
  knowledgeRevision: z.int().min(0),
  namespaces: z.array(Namespace),
  voice: ReflectionVoice.optional(),
  /** Whether visitors' conversations are learned from. */
  shareIngestion: z.boolean(),
  createdAt: z.iso.datetime(),
  /** The caller's role, from the server's records; always present in API responses. */
  role: MemberRole.optional(),
  /** In responses about a single reflection: the private namespaces that the caller reads; `namespaces` has no others. */
  reads: MemberNamespaces.optional(),
})
export type Reflection = z.infer<typeof Reflection>

export const listPublishedNamespaces = ({
  namespaces,
}: {
  readonly namespaces: readonly Namespace[]
}): string[] => namespaces.filter(({ isPublished }) => isPublished).map(({ name }) => name)

export const ReflectionPage = createPageSchema(Reflection)

const Count = z.int().min(0)

/** The counts of a reflection's overview. */
export const ReflectionSummary = z.object({
  /** `busy`: queued or running; `wrong`: the import failed. */
  sources: z.object({ learned: Count, busy: Count, wrong: Count }),
  /** Patches that wait for a person. */
  waiting: Count,
  /** The sources and facts of each namespace, as in a publish preview. Sources are learned or busy; a fact counts once. */
  namespaces: z.array(z.object({ name: NamespaceName, sources: Count, facts: Count })),
})
export type ReflectionSummary = z.infer<typeof ReflectionSummary>

export const CreateReflection = strictObject({
  displayName: Name,
  creatorName: Name.optional(),
  approval: FactApproval.optional(),
})
export type CreateReflection = z.infer<typeof CreateReflection>

export const ChangeReflection = strictObject({
  displayName: Name.optional(),
  /** Null removes it. */
  creatorName: Name.nullable().optional(),
  approval: FactApproval.optional(),
  conversationApproval: FactApproval.optional(),
  /** Null removes it. The kind is `clone` unless set to `stock`. */
  voice: ReflectionVoice.omit({ isUnlisted: true })
    .partial({ kind: true, consent: true })
    .nullable()
    .optional(),
  shareIngestion: z.boolean().optional(),
})
export type ChangeReflection = z.infer<typeof ChangeReflection>

/** A change with the provider's answer about its voice. */
export type ResolvedChange = Omit<ChangeReflection, 'voice'> & {
  readonly voice?:
    | (NonNullable<ChangeReflection['voice']> & Pick<ReflectionVoice, 'isUnlisted'>)
    | null
    | undefined
}

export const AddNamespace = strictObject({ name: NamespaceName })

const Namespaces = z.array(NamespaceName).min(1).max(100)

/** The hash of everything that would be public. */
const PreviewHash = z.string().regex(/^[0-9a-f]{64}$/, 'must be the previewHash of a preview')

export const PreviewPublish = strictObject({
  namespaces: Namespaces,
  /** False previews unpublishing. */
  publish: z.boolean(),
})
export type PreviewPublish = z.infer<typeof PreviewPublish>

export const UnpublishNamespaces = strictObject({ namespaces: Namespaces })

export const PublishNamespaces = strictObject({
  namespaces: Namespaces,
  /** From the preview that was shown. */
  previewHash: PreviewHash.optional(),
})

/** The public agent after publishing or unpublishing. Nothing of it is stored. */
export const PublishPreview = z.object({
  /** All namespaces that would be public. */
  published: z.array(NamespaceName),
  /** Sources that become public or private; latest first. */
  sources: z.array(z.object({ id: SourceId, title: z.string(), contentHash: z.string() })),
  /** The number of facts that become public or private. */
  facts: z.int().min(0),
  /** The lines of the public dossier. */
  dossier: z.object({
    removed: z.array(z.string()),
    added: z.array(z.string()),
    kept: z.array(z.string()),
  }),
  firstMessage: z.string(),
  prompt: z.string(),
  /** Why the version would be rejected; empty if it would pass. */
  refused: z.array(z.string()),
  /** A publish request with this hash is refused if something else would become public. */
  previewHash: PreviewHash,
  /** The number of active links that reach these namespaces. */
  links: z.int().min(0),
  /** The number of running visitor sessions. */
  visitors: z.int().min(0),
})
export type PublishPreview = z.infer<typeof PublishPreview>

export const Member = z.object({
  personId: PersonId,
  label: z.string(),
  role: MemberRole,
  namespaces: MemberNamespaces,
  /** When an invited person's sign-in expires. */
  invitedUntil: z.iso.datetime().optional(),
})
export type Member = z.infer<typeof Member>

export const MemberList = z.object({ items: z.array(Member) })

export const SetMember = strictObject({
  personId: PersonId,
  role: MemberRole,
  /** If absent, unchanged; a new viewer or operator then reads only the published ones. */
  namespaces: MemberNamespaces.optional(),
})
export type SetMember = z.infer<typeof SetMember>

/** A person who is new to the server. */
export const InviteMember = strictObject({
  label: PersonName,
  role: MemberRole,
  /** If absent, a viewer or operator reads only the published ones. */
  namespaces: MemberNamespaces.optional(),
})
export type InviteMember = z.infer<typeof InviteMember>

export const Invitation = Member.extend({
  /** Signs the person in. Shown only once: the server stores its token's hash. */
  url: z.string(),
  expiresAt: z.iso.datetime(),
})
export type Invitation = z.infer<typeof Invitation>

/** A body without fields. */
export const EmptyBody = strictObject({})
