import { z } from 'zod'
import { FactId, SourceId } from './ids.ts'
import { NamespaceName } from './reflection.ts'
import { Surface, VoiceAction } from './voice.ts'

/** SHA-256 in hex. */
export const ContentHash = z.string().regex(/^[0-9a-f]{64}$/, 'a hash is 64 hex digits')

export const PackKind = z.enum([
  'private_standard',
  'private_memory',
  'public_standard',
  'private_emerging',
  'public_emerging',
])
export type PackKind = z.infer<typeof PackKind>

/** A fact as an artifact may tell it, with the words that bear it out. */
export const VoiceEvidence = z.strictObject({
  factId: FactId,
  namespace: NamespaceName,
  /** Whom it tells of, as it calls them. */
  subject: z.string().min(1),
  /** Whether they are whom the reflection is of. */
  isOfCreator: z.boolean(),
  predicate: z.string().min(1),
  object: z.string(),
  /** Whether it says when. */
  isDated: z.boolean(),
  statement: z.string().min(1),
  sourceId: SourceId,
  quote: z.string().min(1),
})
export type VoiceEvidence = z.infer<typeof VoiceEvidence>

export const VoiceEvidencePack = z.strictObject({
  items: z.array(VoiceEvidence),
  contentHash: ContentHash,
})
export type VoiceEvidencePack = z.infer<typeof VoiceEvidencePack>

export const DossierSection = z.enum(['who', 'life', 'work', 'people', 'tastes', 'views', 'else'])
export type DossierSection = z.infer<typeof DossierSection>

/** A sentence that a model wrote, with the facts that bear it out. */
export const WrittenSentence = z.strictObject({
  text: z.string().min(1).max(400),
  factIds: z.array(FactId).min(1),
})
export type WrittenSentence = z.infer<typeof WrittenSentence>

const DossierBase = z.strictObject({
  displayName: z.string().min(1),
  lines: z.array(
    z.strictObject({ section: DossierSection, text: z.string().min(1), factIds: z.array(FactId).min(1) }),
  ),
  speakingStyle: z.string(),
  narrative: z.string(),
  /** How much there is to go on. */
  maturity: z.enum(['emerging', 'established']),
  /** Of the namespaces that it was built from. */
  scopeHash: ContentHash,
  contentHash: ContentHash,
})

export const PrivateDossier = z.strictObject({
  ...DossierBase.shape,
  audience: z.literal('private'),
  creatorName: z.string().optional(),
  /** What the creator was called by before, where facts may still tell of them so. */
  formerNames: z.array(z.string()).min(1).optional(),
  /** What the narrative is made of, where a model wrote it; rules did where absent. */
  written: z.array(WrittenSentence).min(1).optional(),
})
export const PublicDossier = z.strictObject({ ...DossierBase.shape, audience: z.literal('public') })
export type PrivateDossier = z.infer<typeof PrivateDossier>
export type PublicDossier = z.infer<typeof PublicDossier>
export type Dossier = PrivateDossier | PublicDossier

/** A compiled prompt: what an agent of one surface says and may do. */
export const PromptPack = z.strictObject({
  kind: PackKind,
  prompt: z.string().min(1).max(60_000),
  firstMessage: z.string().min(1).max(1_000),
  /** The variables that it names. */
  placeholders: z.array(z.string()),
  tools: z.array(VoiceAction),
  dossierHash: ContentHash,
  contentHash: ContentHash,
})
export type PromptPack = z.infer<typeof PromptPack>

/** The compact summary of a reflection. */
export const Capsule = z.strictObject({
  displayName: z.string().min(1),
  about: z.array(z.string()),
  tastes: z.array(z.string()),
  people: z.array(z.string()),
  sources: z.int().min(0),
  facts: z.int().min(0),
  contentHash: ContentHash,
})
export type Capsule = z.infer<typeof Capsule>

/** What the agent of a surface is to be made from. */
export const SyncMetadata = z.strictObject({
  packKind: PackKind,
  packContentHash: ContentHash,
  dossierHash: ContentHash,
  /** Of what was published. */
  publishedScopeHash: ContentHash,
})
export type SyncMetadata = z.infer<typeof SyncMetadata>

/** All that one build brought about, as it is stored, evaluated and promoted. */
export const VoiceArtifacts = z.strictObject({
  capsule: Capsule,
  token_estimate: z.int().min(0),
  persona_narrative: z.string(),
  explore_next: z.array(z.string()),
  voice_evidence_pack: VoiceEvidencePack,
  reflection_voice_dossier: z.strictObject({ private: PrivateDossier, public: PublicDossier }),
  prompt_packs: z.record(PackKind, PromptPack),
  sync_metadata: z.record(Surface, SyncMetadata),
})
export type VoiceArtifacts = z.infer<typeof VoiceArtifacts>

/** What an agent at the provider was last made from. */
export const SyncState = z.strictObject({
  agentId: z.string().min(1),
  ...SyncMetadata.shape,
  syncedAt: z.iso.datetime(),
})
export type SyncState = z.infer<typeof SyncState>
