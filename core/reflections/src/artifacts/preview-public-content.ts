import type { PublishPreview, VoiceArtifacts } from '@parley/contracts'
import { evaluateArtifacts } from './evaluate-artifacts.ts'
import { getReflectionPromptPack } from '../packs/build-prompt-pack.ts'
import { type ArtifactInput, buildVoiceArtifacts } from './build-voice-artifacts.ts'
import { hashContent, type Sha256 } from './content-hash.ts'

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
export function previewPublicContent(
  { before, after, sources, facts }: ScopeChange,
  sha256: Sha256,
): PublicPreview {
  const artifacts = buildVoiceArtifacts(after, sha256)
  const { maturity } = artifacts.reflection_voice_dossier.public
  const kind = getReflectionPromptPack('public', 'public', maturity)
  const { prompt, firstMessage } = artifacts.prompt_packs[kind]
  const linesBefore = listPublicLines(buildVoiceArtifacts(before, sha256))
  const lines = listPublicLines(artifacts)
  const published = [...after.publishedNamespaces]
  const refused = [...evaluateArtifacts(artifacts, published, sha256).reasons]
  return {
    published,
    sources: [...sources],
    facts: facts.count,
    dossier: {
      removed: linesBefore.filter((text) => !lines.includes(text)),
      added: lines.filter((text) => !linesBefore.includes(text)),
      kept: lines.filter((text) => linesBefore.includes(text)),
    },
    prompt,
    firstMessage,
    refused,
    previewHash: hashContent(
      { published, told: lines, prompt, firstMessage, refused, sources, facts },
      sha256,
    ),
  }
}

const listPublicLines = ({
  reflection_voice_dossier: { public: dossier },
}: VoiceArtifacts): readonly string[] => dossier.lines.map(({ text }) => text)
