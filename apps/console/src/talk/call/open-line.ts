import type { VoiceSessionResponse } from '@parley/contracts'

/** What a provider is connected to with. */
export type Connection = Pick<VoiceSessionResponse, 'signedUrl' | 'dynamicVariables'>

/** A connection to the provider while it lasts. */
export interface Line {
  say(text: string): void
  mute(isMuted: boolean): void
  close(): Promise<void>
  /** From 0 to 1, as it is now. */
  inputLevel(): number
  outputLevel(): number
}

export interface LineEvents {
  readonly onSaid: (who: 'you' | 'agent', text: string) => void
  readonly onCorrected: (original: string, heard: string) => void
  readonly onInterrupted: () => void
  readonly onSpeaks: (speaks: 'agent' | 'nobody') => void
  /** `error`: the socket was lost. */
  readonly onGone: (why: 'user' | 'agent' | 'error') => void
}

export type OpenLine = (connection: Connection, events: LineEvents) => Promise<Line>

/** Files of our own origin, since the page's policy runs nothing else. */
const WORKLETS = {
  rawAudioProcessor: '/worklets/rawAudioProcessor.js',
  audioConcatProcessor: '/worklets/audioConcatProcessor.js',
}

/** Speaks with the voice provider through its own client, which is fetched with the first call. */
export const openLine: OpenLine = async ({ signedUrl = '', dynamicVariables }, events) => {
  const { VoiceConversation } = await import('@elevenlabs/client')
  const conversation = await VoiceConversation.startSession({
    signedUrl,
    connectionType: 'websocket',
    dynamicVariables,
    workletPaths: WORKLETS,
    onMessage: ({ role, message }) => events.onSaid(role === 'user' ? 'you' : 'agent', message),
    onAgentResponseCorrection: (correction) =>
      events.onCorrected(correction.original_agent_response, correction.corrected_agent_response),
    onInterruption: () => events.onInterrupted(),
    onModeChange: ({ mode }) => events.onSpeaks(mode === 'speaking' ? 'agent' : 'nobody'),
    onDisconnect: ({ reason }) => events.onGone(reason),
  })
  return {
    say: (text) => conversation.sendUserMessage(text),
    mute: (isMuted) => conversation.setMicMuted(isMuted),
    close: () => conversation.endSession(),
    inputLevel: () => conversation.getInputVolume(),
    outputLevel: () => conversation.getOutputVolume(),
  }
}
