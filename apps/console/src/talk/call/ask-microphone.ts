import type { Trouble } from '../trouble.ts'

export type MicrophoneTrouble = Extract<Trouble, { kind: `microphone-${string}` }>

/** Asks for the microphone before anything is started for it; says what is in the way, if something is. */
export async function askMicrophone(
  devices: Pick<MediaDevices, 'getUserMedia'> | undefined,
): Promise<MicrophoneTrouble | undefined> {
  // A browser has no devices at all on a page that came over plain HTTP from elsewhere.
  if (!devices) return { kind: 'microphone-unreachable' }
  try {
    const stream = await devices.getUserMedia({ audio: true })
    for (const track of stream.getTracks()) track.stop()
    return undefined
  } catch (failure) {
    return microphoneTroubleOf(failure) ?? { kind: 'microphone-busy' }
  }
}

const KINDS: Readonly<Record<string, MicrophoneTrouble['kind']>> = {
  NotAllowedError: 'microphone-denied',
  SecurityError: 'microphone-denied',
  NotFoundError: 'microphone-missing',
  OverconstrainedError: 'microphone-missing',
  NotReadableError: 'microphone-busy',
  AbortError: 'microphone-busy',
}

/** What a browser's refusal means; undefined where the failure is about something else. */
export function microphoneTroubleOf(failure: unknown): MicrophoneTrouble | undefined {
  const kind = failure instanceof Error ? KINDS[failure.name] : undefined
  return kind && { kind }
}
