import type {
  ChangeReflection,
  MemberRole,
  ProviderVoice,
  Reflection,
  SettledChange,
} from '@parley/contracts'
import { settleVoiceKind } from '@parley/reflections'
import type { Services } from '../services.ts'

const PATIENCE_MS = 3_000

type Host = Pick<Services, 'voice' | 'logger'>

/**
 * A change with the chosen voice as the provider lists it; as it came where the provider does not answer. That a voice is
 * nobody's lets it be used, which is the owner's alone to choose.
 */
export async function settleListedVoice(
  change: ChangeReflection,
  role: MemberRole,
  host: Host,
): Promise<SettledChange> {
  const { voice } = change
  const listed = voice ? await listedBy(host) : undefined
  if (!voice || !listed) return change
  const settled = role === 'owner' ? settleVoiceKind(voice, listed) : voice
  return { ...change, voice: { ...settled, ...(!isIn(listed, voice.voiceId) && { isUnlisted: true }) } }
}

/** Looks again whether the provider has the voice of a reflection: one may be made there later, or be removed. */
export async function lookForVoice(
  { id, voice }: Pick<Reflection, 'id' | 'voice'>,
  host: Host & Pick<Services, 'reflections'>,
): Promise<void> {
  const listed = voice ? await listedBy(host) : undefined
  if (!voice || !listed) return
  const isUnlisted = !isIn(listed, voice.voiceId)
  if (isUnlisted === (voice.isUnlisted === true)) return
  await host.reflections.noteVoice(id, voice.voiceId, isUnlisted ? 'unlisted' : 'listed')
}

async function listedBy({ voice: settings, logger }: Host): Promise<readonly ProviderVoice[] | undefined> {
  try {
    return await settings?.provider.listVoices(AbortSignal.timeout(PATIENCE_MS))
  } catch (err) {
    logger.warn({ err }, 'the voices of the provider could not be listed: a voice is taken as it was claimed')
    return undefined
  }
}

const isIn = (listed: readonly ProviderVoice[], voiceId: string) =>
  listed.some((one) => one.voiceId === voiceId)
