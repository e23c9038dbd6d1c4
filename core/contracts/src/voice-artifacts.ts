import { z } from 'zod'
import { Surface } from './access.ts'
import { AgentAction } from './agent-actions.ts'
import { FactId, SourceId } from './ids.ts'
import { createPageSchema } from './page.ts'
import { NamespaceName } from './reflection.ts'

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

/** A fact for artifacts, with its supporting quote. */
export const VoiceEvidence = z.strictObject({
  factId: FactId,
  namespace: NamespaceName,
  subject: z.string().min(1),
  /** Whether the subject is the creator. */
  isOfCreator: z.boolean(),
  predicate: z.string().min(1),
  object: z.string(),
  /** Whether the fact has a date. */
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

/** A sentence that a model wrote, with the facts that support it. */
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
  /** `emerging` while there is little evidence. */
  maturity: z.enum(['emerging', 'established']),
  /** The hash of the namespaces that it was built from. */
  scopeHash: ContentHash,
  contentHash: ContentHash,
})

export const PrivateDossier = z.strictObject({
  ...DossierBase.shape,
  audience: z.literal('private'),
  creatorName: z.string().optional(),
  /** The creator's earlier names, if facts may still use them. */
  formerNames: z.array(z.string()).min(1).optional(),
  /** The sentences of a narrative that a model wrote; absent if rules made it. */
  written: z.array(WrittenSentence).min(1).optional(),
})
export const PublicDossier = z.strictObject({ ...DossierBase.shape, audience: z.literal('public') })
export type PrivateDossier = z.infer<typeof PrivateDossier>
export type PublicDossier = z.infer<typeof PublicDossier>
export type Dossier = PrivateDossier | PublicDossier

/** The compiled prompt and tools of one surface's agent. */
export const PromptPack = z.strictObject({
  kind: PackKind,
  prompt: z.string().min(1).max(60_000),
  firstMessage: z.string().min(1).max(1_000),
  /** The variables in the prompt. */
  placeholders: z.array(z.string()),
  tools: z.array(AgentAction),
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

/** The versions that a surface's agent should be built from. */
export const SyncMetadata = z.strictObject({
  packKind: PackKind,
  packContentHash: ContentHash,
  dossierHash: ContentHash,
  /** The hash of the published namespaces. */
  publishedScopeHash: ContentHash,
})
export type SyncMetadata = z.infer<typeof SyncMetadata>

/** The result of one build, as stored, evaluated and promoted. */
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

/** The versions that an agent at the provider was last built from. */
export const SyncState = z.strictObject({
  agentId: z.string().min(1),
  ...SyncMetadata.shape,
  syncedAt: z.iso.datetime(),
})
export type SyncState = z.infer<typeof SyncState>

/**
 * The steps of a generation: stored, evaluated, then promoted or rejected. `outrun`: a higher generation was already
 * promoted. `erased`: only its hash remains.
 */
export const LedgerStage = z.enum(['candidate', 'evaluated', 'promoted', 'rejected', 'outrun', 'erased'])
export type LedgerStage = z.infer<typeof LedgerStage>

/** An entry of the append-only ledger. Hashes are plain strings, so an invalid one can be read and shown. */
export const LedgerEntry = z.object({
  position: z.int().min(1),
  generation: z.int().min(1),
  stage: LedgerStage,
  payloadHash: z.string(),
  /** Why the generation was rejected. */
  reasons: z.array(z.string()),
  at: z.iso.datetime(),
  previousHash: z.string(),
  entryHash: z.string(),
})
export type LedgerEntry = z.infer<typeof LedgerEntry>

/** A reflection's ledger, latest first. */
export const LedgerPage = createPageSchema(LedgerEntry).extend({
  /** The generation in use. */
  live: z.int().min(1).optional(),
})
export type LedgerPage = z.infer<typeof LedgerPage>

/** A generation as stored, valid or not; without artifacts if one of its sources was removed. */
export const StoredGeneration = z.object({
  generation: z.int().min(1),
  /** The namespaces that were published when its build began. */
  publishedNamespaces: z.array(z.string()),
  artifacts: z.unknown().optional(),
})
export type StoredGeneration = z.infer<typeof StoredGeneration>
