import type { Audience, PromptPack, Surface, VoiceArtifacts } from '@parley/contracts'
import type { Sha256 } from '../artifacts/content-hash.ts'
import type { Freshness } from '../freshness/decide-freshness.ts'
import { namespacesHash } from '../variables/build-dynamic-variables.ts'
import { narrowPack } from './narrow-pack.ts'
import { getReflectionPromptPack } from './prompt-pack-kind.ts'

export interface PackQuestion {
  readonly audience: Audience
  readonly surface: Surface
  /** The promoted artifacts. */
  readonly promoted?: VoiceArtifacts | undefined
  readonly publishedNow: readonly string[]
  /** The namespaces that the session may search. */
  readonly namespaces: readonly string[]
}

export type ChosenPack =
  | { readonly kind: 'pack'; readonly pack: PromptPack }
  | Exclude<Freshness, { readonly kind: 'fresh' }>

/**
 * The pack of a typed session, which needs no agent at a provider. A public session gets one only if it was built from
 * exactly the published namespaces, narrowed to those of its link.
 */
export function choosePack(
  { audience, surface, promoted, publishedNow, namespaces }: PackQuestion,
  sha256: Sha256,
): ChosenPack {
  const isPublic = audience === 'public' || surface === 'public'
  if (isPublic && publishedNow.length === 0) return { kind: 'not-ready', missing: 'nothing is published' }
  if (!promoted) return { kind: 'not-ready', missing: 'no artifacts are promoted' }
  const dossier = promoted.reflection_voice_dossier[isPublic ? 'public' : 'private']
  if (isPublic && dossier.scopeHash !== namespacesHash(publishedNow, sha256)) {
    return { kind: 'stale', differs: ['the scope that the artifacts were built from'] }
  }
  const told = publishedNow.filter((name) => namespaces.includes(name))
  if (isPublic && told.length < publishedNow.length) {
    return { kind: 'pack', pack: narrowPack(promoted, told, sha256) }
  }
  return {
    kind: 'pack',
    pack: promoted.prompt_packs[getReflectionPromptPack(audience, surface, dossier.maturity)],
  }
}
