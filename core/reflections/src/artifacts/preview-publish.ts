import type { PublishPreview, VoiceArtifacts } from '@parley/contracts'
import { evaluateArtifacts } from '../approval/evaluate-artifacts.ts'
import { getReflectionPromptPack } from '../packs/prompt-pack-kind.ts'
import type { ArtifactInput } from './artifact-input.ts'
import { buildVoiceArtifacts } from './build-voice-artifacts.ts'
import { contentHashOf, type Sha256 } from './content-hash.ts'

/** The future public content; the affected links and visitors are counted elsewhere. */
export type PublicPreview = Omit<PublishPreview, 'links' | 'visitors'>

/** The inputs of a build before and after a change, and the sources and facts that change. */
export interface ScopeChange {
  readonly before: ArtifactInput
  readonly after: ArtifactInput
  readonly sources: PublishPreview['sources']
  readonly facts: { readonly count: number; readonly idsHash: string }
}

/** The public content after a change, built as a real build would, and its difference to the content now. */
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
