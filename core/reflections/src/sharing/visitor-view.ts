import {
  type Channel,
  findVoiceProblems,
  listPublishedNamespaces,
  type Reflection,
  type SharedReflection,
  ERROR_TITLE,
  type SessionEvent,
  type ShareLink,
  isProviderErrorCode,
} from '@parley/contracts'
import { visibleNamespaces } from '../access/visible-namespaces.ts'
import { type Sha256, hashNamespaces } from '../artifacts/content-hash.ts'
import type { PromotedArtifacts } from '../ports/artifact-store.ts'

export interface SharedContent {
  readonly link: Pick<ShareLink, 'namespaces'>
  readonly reflection: Reflection
  readonly promoted: PromotedArtifacts | undefined
  readonly hasVoiceProvider: boolean
}

/** The reflection of a link as a visitor sees it before a start. All of it is public. */
export const describeLink = (shared: SharedContent, sha256: Sha256): SharedReflection => ({
  displayName: shared.reflection.displayName,
  channels: listChannels(shared),
  isReady: isReadyLink(shared, sha256),
  isPublic: isPublicLink(shared),
  isLearnedFrom: shared.reflection.shareIngestion,
})

/** The channels in which a session can start. */
const listChannels = ({ reflection: { voice }, hasVoiceProvider }: SharedContent): Channel[] =>
  hasVoiceProvider && findVoiceProblems(voice).length === 0 ? ['text', 'voice'] : ['text']

/** Whether the link reaches a published namespace, and the artifacts match the published ones. */
function isReadyLink(shared: SharedContent, sha256: Sha256): boolean {
  const { scopeHash } = shared.promoted?.artifacts.reflection_voice_dossier.public ?? {}
  return (
    isPublicLink(shared) && scopeHash === hashNamespaces(listPublishedNamespaces(shared.reflection), sha256)
  )
}

const isPublicLink = ({ link, reflection }: SharedContent): boolean =>
  visibleNamespaces({ sessionAudience: 'public' }, link, reflection).length > 0

/** Events for a visitor. A provider's failure shows only its title, since its message names hosts and settings. */
export async function* toVisitorEvents(events: AsyncGenerator<SessionEvent>): AsyncGenerator<SessionEvent> {
  for await (const event of events) yield hideProviderDetails(event)
}

function hideProviderDetails(event: SessionEvent): SessionEvent {
  if (event.type !== 'session:turn_completed' || !event.error) return event
  const { error } = event
  if (!isProviderErrorCode(error.code)) return event
  return { ...event, error: { ...error, message: `${ERROR_TITLE[error.code]}.` } }
}
