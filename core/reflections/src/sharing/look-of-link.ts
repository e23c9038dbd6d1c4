import { type Channel, findVoiceProblems, type Reflection, type SharedReflection } from '@parley/contracts'
import { publishedNamespaces, visibleNamespaces } from '../access/visible-namespaces.ts'
import type { Sha256 } from '../artifacts/content-hash.ts'
import type { PromotedArtifacts } from '../ports/artifact-store.ts'
import type { ShareLink } from '../ports/share-link-store.ts'
import { namespacesHash } from '../variables/build-dynamic-variables.ts'

export interface LookedAt {
  readonly link: Pick<ShareLink, 'namespaces'>
  readonly reflection: Reflection
  readonly promoted: PromotedArtifacts | undefined
  /** Whether this server speaks. */
  readonly hasVoiceProvider: boolean
}

/** What a visitor sees before they start. All of it is public. */
export const lookOfLink = (looked: LookedAt, sha256: Sha256): SharedReflection => ({
  displayName: looked.reflection.displayName,
  channels: channelsOf(looked),
  isReady: isReady(looked, sha256),
  isPublic: isPublic(looked),
  isLearnedFrom: looked.reflection.shareIngestion,
})

/** Those in which a session starts: a spoken one is refused where something is missing of the voice. */
const channelsOf = ({ reflection: { voice }, hasVoiceProvider }: LookedAt): Channel[] =>
  hasVoiceProvider && findVoiceProblems(voice).length === 0 ? ['text', 'voice'] : ['text']

/** Whether the link reaches something, and what speaks was built from what is published now. */
function isReady(looked: LookedAt, sha256: Sha256): boolean {
  const { scopeHash } = looked.promoted?.artifacts.reflection_voice_dossier.public ?? {}
  return isPublic(looked) && scopeHash === namespacesHash(publishedNamespaces(looked.reflection), sha256)
}

const isPublic = ({ link, reflection }: LookedAt): boolean =>
  visibleNamespaces({ sessionAudience: 'public' }, link, reflection).length > 0
