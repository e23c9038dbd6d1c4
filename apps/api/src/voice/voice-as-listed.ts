import type { ChangeReflection } from '@parley/contracts'
import { settleVoiceKind } from '@parley/voice'
import type { Services } from '../services.ts'

const PATIENCE_MS = 3_000

/** A change with the chosen voice as the provider lists it; as it came where the provider does not answer. */
export async function voiceAsListed(
  change: ChangeReflection,
  { voice: settings, logger }: Pick<Services, 'voice' | 'logger'>,
): Promise<ChangeReflection> {
  const { voice } = change
  if (!voice || voice.kind === 'clone' || !settings) return change
  try {
    const listed = await settings.provider.listVoices(AbortSignal.timeout(PATIENCE_MS))
    return { ...change, voice: settleVoiceKind(voice, listed) }
  } catch (err) {
    logger.warn({ err }, 'the voices of the provider could not be listed: a voice is taken as it was claimed')
    return change
  }
}
