import {
  listPublishedNamespaces,
  PlatformError,
  type PromptPack,
  type Reflection,
  type SessionWarning,
  type VoiceArtifacts,
  type Audience,
  type Surface,
} from '@parley/contracts'
import { type Sha256, hashNamespaces } from '../artifacts/content-hash.ts'
import type { SessionPlan } from '../starting/plan-session.ts'
import { createGenericWarning, createPublicNotReadyError } from '../starting/resolve-session-agent.ts'
import type { TemplatePack } from '../template/build-agent-template.ts'
import { buildGenericPack } from './shared-packs.ts'
import { type Freshness, NOT_READY } from '../sync/decide-freshness.ts'
import { narrowPack } from './narrow-pack.ts'
import { getReflectionPromptPack } from './build-prompt-pack.ts'

/** The pack of a session: the reflection's own, or the generic one, which takes its persona from variables. */
type SessionPack =
  | { readonly agent: 'own'; readonly pack: PromptPack }
  | { readonly agent: 'generic'; readonly pack: TemplatePack; readonly warning: SessionWarning }

/** The promoted artifacts, or why they could not be read. */
export type PromotedRead = { readonly artifacts: VoiceArtifacts | undefined } | { readonly failure: unknown }

/** The pack of a typed session. If the promoted one is missing or unreadable, a private session gets the generic one, and a public one throws. */
export function requirePack(
  { audience, surface, namespaces }: Pick<SessionPlan, 'audience' | 'surface' | 'namespaces'>,
  reflection: Pick<Reflection, 'namespaces'>,
  read: PromotedRead,
  sha256: Sha256,
): SessionPack {
  const generic = (why: string): SessionPack => ({
    agent: 'generic',
    pack: buildGenericPack(sha256),
    warning: createGenericWarning(why),
  })
  if ('failure' in read) {
    if (audience === 'public') throw createPublicNotReadyError(read.failure)
    return generic('the promoted artifacts could not be read')
  }
  const publishedNow = listPublishedNamespaces(reflection)
  const chosen = choosePack({ audience, surface, promoted: read.artifacts, publishedNow, namespaces }, sha256)
  if (chosen.kind === 'pack') return { agent: 'own', pack: chosen.pack }
  if (chosen.kind === 'stale') {
    throw new PlatformError('public_runtime_stale', {
      message: 'The public version is being updated. Try again in a moment.',
      differs: [...chosen.differs],
    })
  }
  if (audience === 'private') return generic(chosen.missing)
  throw new PlatformError('public_runtime_not_ready', {
    message: `This reflection is not ready yet: ${chosen.missing}. It is built in the background; try again in a moment.`,
    missing: [chosen.missing],
  })
}

export interface PackInput {
  readonly audience: Audience
  readonly surface: Surface
  /** The promoted artifacts. */
  readonly promoted?: VoiceArtifacts | undefined
  readonly publishedNow: readonly string[]
  /** The namespaces that the session may search. */
  readonly namespaces: readonly string[]
}

type ChosenPack =
  | { readonly kind: 'pack'; readonly pack: PromptPack }
  | Exclude<Freshness, { readonly kind: 'fresh' }>

/**
 * The promoted pack of a typed session. A public session gets one only if it was built from exactly the published
 * namespaces, narrowed to those of its link.
 */
export function choosePack(
  { audience, surface, promoted, publishedNow, namespaces }: PackInput,
  sha256: Sha256,
): ChosenPack {
  const isPublic = audience === 'public' || surface === 'public'
  if (isPublic && publishedNow.length === 0) return NOT_READY.unpublished
  if (!promoted) return NOT_READY.unpromoted
  const dossier = promoted.reflection_voice_dossier[isPublic ? 'public' : 'private']
  if (isPublic && dossier.scopeHash !== hashNamespaces(publishedNow, sha256)) {
    return { kind: 'stale', differs: ['the scope that the artifacts were built from'] }
  }
  const visible = publishedNow.filter((name) => namespaces.includes(name))
  if (isPublic && visible.length < publishedNow.length) {
    return { kind: 'pack', pack: narrowPack(promoted, visible, sha256) }
  }
  return {
    kind: 'pack',
    pack: promoted.prompt_packs[getReflectionPromptPack(audience, surface, dossier.maturity)],
  }
}
