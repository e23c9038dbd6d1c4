import type { PublishPreview, VoiceArtifacts } from '@parley/contracts'
import { evaluateArtifacts } from '../approval/evaluate-artifacts.ts'
import { getReflectionPromptPack } from '../packs/prompt-pack-kind.ts'
import type { ArtifactInput } from './artifact-input.ts'
import { buildVoiceArtifacts } from './build-voice-artifacts.ts'
import { contentHashOf, type Sha256 } from './content-hash.ts'

/** The future public content; the affected links and visitors are counted elsewhere. */
export type PublicPreview = Omit<PublishPreview, 'links' | 'visitors'>

/** What a change is made from: what a build starts from before it and after it, and what changes hands. */
export interface ScopeChange {
  readonly before: ArtifactInput
  readonly after: ArtifactInput
  readonly sources: PublishPreview['sources']
  readonly facts: { readonly count: number; readonly idsHash: string }
}

/** What the public would be told, built as it will be: from what is published now, and from what would be. */
export function previewPublish(
  { before, after, sources, facts }: ScopeChange,
  sha256: Sha256,
): PublicPreview {
  const artifacts = buildVoiceArtifacts(after, sha256)
  const { maturity } = artifacts.reflection_voice_dossier.public
  const kind = getReflectionPromptPack('public', 'public', maturity)
  const { prompt, firstMessage } = artifacts.prompt_packs[kind]
  const known = publicLines(buildVoiceArtifacts(before, sha256))
  const told = publicLines(artifacts)
  const published = [...after.publishedNamespaces]
  const refused = [...evaluateArtifacts(artifacts, published, sha256).reasons]
  return {
    published,
    sources: [...sources],
    facts: facts.count,
    dossier: {
      removed: known.filter((text) => !told.includes(text)),
      added: told.filter((text) => !known.includes(text)),
      kept: told.filter((text) => known.includes(text)),
    },
    prompt,
    firstMessage,
    refused,
    previewHash: contentHashOf({ published, told, prompt, firstMessage, refused, sources, facts }, sha256),
  }
}

const publicLines = ({ reflection_voice_dossier: { public: dossier } }: VoiceArtifacts): readonly string[] =>
  dossier.lines.map(({ text }) => text)
