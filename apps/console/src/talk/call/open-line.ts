import type { VoiceSessionResponse } from '@parley/contracts'
import type { TalkProblem } from '../problem.ts'

export type LineCredentials = Pick<VoiceSessionResponse, 'signedUrl' | 'dynamicVariables'>

export interface VoiceLine {
  say(text: string): void
  mute(isMuted: boolean): void
  close(): Promise<void>
  /** The current volume, from 0 to 1. */
  inputLevel(): number
  outputLevel(): number
}

export interface VoiceLineEvents {
  readonly onMessage: (who: 'you' | 'agent', text: string) => void
  readonly onCorrected: (original: string, heard: string) => void
  readonly onInterrupted: () => void
  readonly onSpeaker: (speaker: 'agent' | 'nobody') => void
  /** `error`: the connection was lost. */
  readonly onClosed: (reason: 'user' | 'agent' | 'error') => void
}

export type OpenLine = (connection: LineCredentials, events: VoiceLineEvents) => Promise<VoiceLine>

/** Served from our origin, since the page's policy allows no other. */
const WORKLETS = {
  rawAudioProcessor: '/worklets/rawAudioProcessor.js',
  audioConcatProcessor: '/worklets/audioConcatProcessor.js',
}

/** Connects through the voice provider's client library, loaded with the first call. */
export const openLine: OpenLine = async ({ signedUrl = '', dynamicVariables }, events) => {
  const { VoiceConversation } = await import('@elevenlabs/client')
  const conversation = await VoiceConversation.startSession({
    signedUrl,
    connectionType: 'websocket',
    dynamicVariables,
    workletPaths: WORKLETS,
    onMessage: ({ role, message }) => events.onMessage(role === 'user' ? 'you' : 'agent', message),
    onAgentResponseCorrection: (correction) =>
      events.onCorrected(correction.original_agent_response, correction.corrected_agent_response),
    onInterruption: () => events.onInterrupted(),
    onModeChange: ({ mode }) => events.onSpeaker(mode === 'speaking' ? 'agent' : 'nobody'),
    onDisconnect: ({ reason }) => events.onClosed(reason),
  })
  return {
    say: (text) => conversation.sendUserMessage(text),
    mute: (isMuted) => conversation.setMicMuted(isMuted),
    close: () => conversation.endSession(),
    inputLevel: () => conversation.getInputVolume(),
    outputLevel: () => conversation.getOutputVolume(),
  }
}

export type MicrophoneProblem = Extract<TalkProblem, { kind: `microphone-${string}` }>

/** Asks for the microphone before anything starts; returns the problem, if any. */
export async function askMicrophone(
  devices: Pick<MediaDevices, 'getUserMedia'> | undefined,
): Promise<MicrophoneProblem | undefined> {
  // Browsers hide all devices on pages over plain HTTP.
  if (!devices) return { kind: 'microphone-unreachable' }
  try {
    const stream = await devices.getUserMedia({ audio: true })
    for (const track of stream.getTracks()) track.stop()
    return undefined
  } catch (failure) {
    return toMicrophoneProblem(failure) ?? { kind: 'microphone-busy' }
  }
}

const KINDS: Readonly<Record<string, MicrophoneProblem['kind']>> = {
  NotAllowedError: 'microphone-denied',
  SecurityError: 'microphone-denied',
  NotFoundError: 'microphone-missing',
  OverconstrainedError: 'microphone-missing',
  NotReadableError: 'microphone-busy',
  AbortError: 'microphone-busy',
}

/** Maps a browser's refusal to a problem; undefined for other failures. */
export function toMicrophoneProblem(failure: unknown): MicrophoneProblem | undefined {
  const kind = failure instanceof Error ? KINDS[failure.name] : undefined
  return kind && { kind }
}
