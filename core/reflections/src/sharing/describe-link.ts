import { type Channel, findVoiceProblems, type Reflection, type SharedReflection } from '@parley/contracts'
import { publishedNamespaces, visibleNamespaces } from '../access/visible-namespaces.ts'
import type { Sha256 } from '../artifacts/content-hash.ts'
import type { PromotedArtifacts } from '../ports/artifact-store.ts'
import type { ShareLink } from '../ports/share-link-store.ts'
import { namespacesHash } from '../variables/build-dynamic-variables.ts'

export interface SharedContent {
  readonly link: Pick<ShareLink, 'namespaces'>
  readonly reflection: Reflection
  readonly promoted: PromotedArtifacts | undefined
  readonly hasVoiceProvider: boolean
}

/** The reflection of a link as a visitor sees it before a start. All of it is public. */
export const describeLink = (shared: SharedContent, sha256: Sha256): SharedReflection => ({
  displayName: shared.reflection.displayName,
  channels: channelsOf(shared),
  isReady: isReady(shared, sha256),
  isPublic: isPublic(shared),
  isLearnedFrom: shared.reflection.shareIngestion,
})

/** The channels in which a session can start. */
const channelsOf = ({ reflection: { voice }, hasVoiceProvider }: SharedContent): Channel[] =>
  hasVoiceProvider && findVoiceProblems(voice).length === 0 ? ['text', 'voice'] : ['text']

/** Whether the link reaches a published namespace, and the artifacts match the published ones. */
function isReady(shared: SharedContent, sha256: Sha256): boolean {
  const { scopeHash } = shared.promoted?.artifacts.reflection_voice_dossier.public ?? {}
  return isPublic(shared) && scopeHash === namespacesHash(publishedNamespaces(shared.reflection), sha256)
}

const isPublic = ({ link, reflection }: SharedContent): boolean =>
  visibleNamespaces({ sessionAudience: 'public' }, link, reflection).length > 0
