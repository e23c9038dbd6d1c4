import {
  PlatformError,
  type PromptPack,
  type Reflection,
  type SessionWarning,
  type VoiceArtifacts,
} from '@parley/contracts'
import { publishedNamespaces } from '../access/visible-namespaces.ts'
import type { Sha256 } from '../artifacts/content-hash.ts'
import type { SessionPlan } from '../starting/plan-session.ts'
import { genericInstead, publicUnreadable } from '../starting/resolve-session-agent.ts'
import type { TemplatePack } from '../template/build-elevenlabs-agent-template.ts'
import { genericPack } from '../template/generic-pack.ts'
import { choosePack } from './choose-pack.ts'

/** The pack of a session: the reflection's own, or the generic one, which takes its persona from variables. */
export type SessionPack =
  | { readonly agent: 'own'; readonly pack: PromptPack }
  | { readonly agent: 'generic'; readonly pack: TemplatePack; readonly warning: SessionWarning }

/** The promoted artifacts, or why they could not be read. */
export type PromotedRead = { readonly artifacts: VoiceArtifacts | undefined } | { readonly failure: unknown }

/** In private the generic pack replaces a promoted one that is missing or unreadable. In public that throws. */
export function requirePack(
  { audience, surface, namespaces }: Pick<SessionPlan, 'audience' | 'surface' | 'namespaces'>,
  reflection: Pick<Reflection, 'namespaces'>,
  read: PromotedRead,
  sha256: Sha256,
): SessionPack {
  const generic = (why: string): SessionPack => ({
    agent: 'generic',
    pack: genericPack(sha256),
    warning: genericInstead(why),
  })
  if ('failure' in read) {
    if (audience === 'public') throw publicUnreadable(read.failure)
    return generic('the promoted artifacts could not be read')
  }
  const publishedNow = publishedNamespaces(reflection)
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
