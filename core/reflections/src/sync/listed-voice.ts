import type {
  ChangeReflection,
  MemberRole,
  ProviderVoice,
  Reflection,
  ReflectionId,
  ResolvedChange,
} from '@parley/contracts'
import type { VoiceProvider } from '../ports/voice-provider.ts'
import type { WarningLog } from '../sessions/sessions-host.ts'

type ChosenVoice = NonNullable<ChangeReflection['voice']>

/** Trusts the provider's stock/clone flag for listed voices, and the claim for unlisted ones. */
export function resolveVoiceKind(chosen: ChosenVoice, listed: readonly ProviderVoice[]): ChosenVoice {
  if (chosen.kind === 'clone') return chosen
  const known = listed.find(({ voiceId }) => voiceId === chosen.voiceId)
  return known ? { ...chosen, kind: known.kind } : chosen
}

interface VoiceListHost {
  readonly voice?: { readonly provider: Pick<VoiceProvider, 'listVoices'> } | undefined
  readonly logger: WarningLog
  readonly deadline: (ms: number) => AbortSignal
}

/**
 * A change with the chosen voice as the provider lists it, or unchanged if the provider does not answer. The stock flag
 * allows a voice to be used, so it is set for owners only.
 */
export async function resolveListedVoice(
  change: ChangeReflection,
  role: MemberRole,
  host: VoiceListHost,
): Promise<ResolvedChange> {
  const { voice } = change
  const listed = voice ? await listVoices(host) : undefined
  if (!voice || !listed) return change
  const resolved = role === 'owner' ? resolveVoiceKind(voice, listed) : voice
  return { ...change, voice: { ...resolved, ...(!isListed(voice.voiceId, listed) && { isUnlisted: true }) } }
}

interface VoiceListingHost extends VoiceListHost {
  readonly reflections: {
    recordVoiceListing(
      reflectionId: ReflectionId,
      voiceId: string,
      standing: 'listed' | 'unlisted',
    ): Promise<void>
  }
}

/** Records whether the provider lists a reflection's voice, which may have been added or removed there. */
export async function refreshVoiceListing(
  { id, voice }: Pick<Reflection, 'id' | 'voice'>,
  host: VoiceListingHost,
): Promise<void> {
  const listed = voice ? await listVoices(host) : undefined
  if (!voice || !listed) return
  const isUnlisted = !isListed(voice.voiceId, listed)
  if (isUnlisted === (voice.isUnlisted === true)) return
  await host.reflections.recordVoiceListing(id, voice.voiceId, isUnlisted ? 'unlisted' : 'listed')
}

const LIST_VOICES_MS = 3_000

async function listVoices({
  voice,
  logger,
  deadline,
}: VoiceListHost): Promise<readonly ProviderVoice[] | undefined> {
  try {
    return await voice?.provider.listVoices(deadline(LIST_VOICES_MS))
  } catch (err) {
    logger.warn({ err }, 'the voices of the provider could not be listed: the chosen voice is not checked')
    return undefined
  }
}

const isListed = (voiceId: string, listed: readonly ProviderVoice[]): boolean =>
  listed.some((one) => one.voiceId === voiceId)
