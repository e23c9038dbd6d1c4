import { createHash } from 'node:crypto'
import {
  PlatformError,
  type PromptPack,
  type Reflection,
  type SessionWarning,
  type VoiceArtifacts,
} from '@parley/contracts'
import {
  choosePack,
  genericInstead,
  genericPack,
  publicUnreadable,
  publishedNamespaces,
  type SessionPlan,
  type TemplatePack,
} from '@parley/reflections'

/** What a session runs on: a pack of its own, or the one that is nobody's and takes its persona from variables. */
export type SpeakingPack =
  | { readonly agent: 'own'; readonly pack: PromptPack }
  | { readonly agent: 'generic'; readonly pack: TemplatePack; readonly warning: SessionWarning }

/** What is promoted, or why that could not be read. */
export type PromotedRead = { readonly artifacts: VoiceArtifacts | undefined } | { readonly failure: unknown }

/** The promoted pack; in private the generic one where nothing is promoted yet, or it cannot be read. Throws where there is none for the public. */
export function packFor(
  { audience, surface, namespaces }: Pick<SessionPlan, 'audience' | 'surface' | 'namespaces'>,
  reflection: Pick<Reflection, 'namespaces'>,
  read: PromotedRead,
): SpeakingPack {
  if ('failure' in read) {
    if (audience === 'public') throw publicUnreadable(read.failure)
    return generic('what is promoted could not be read')
  }
  const { artifacts: promoted } = read
  const publishedNow = publishedNamespaces(reflection)
  const chosen = choosePack({ audience, surface, promoted, publishedNow, namespaces }, sha256)
  if (chosen.kind === 'pack') return { agent: 'own', pack: chosen.pack }
  if (chosen.kind === 'stale') {
    throw new PlatformError('public_runtime_stale', {
      message:
        'What speaks to the public is being made anew from what is published now. Try again in a moment.',
      differs: [...chosen.differs],
    })
  }
  if (audience === 'private') {
    return generic(chosen.missing)
  }
  throw new PlatformError('public_runtime_not_ready', {
    message: `This reflection cannot speak yet: ${chosen.missing}. It is made in the background; try again in a moment.`,
    missing: [chosen.missing],
  })
}

const generic = (why: string): SpeakingPack => ({
  agent: 'generic',
  pack: genericPack(sha256),
  warning: genericInstead(why),
})

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
