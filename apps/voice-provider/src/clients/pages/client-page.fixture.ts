import { Conversation } from '@elevenlabs/client'

/** Reports events in the page to the test. */
declare const tell: (line: string) => Promise<void>

let conversation: Conversation | undefined

/** Functions that the test calls in the page. */
const page = {
  async talk(signedUrl: string, textOnly: boolean) {
    conversation = await Conversation.startSession({
      signedUrl,
      textOnly,
      onMessage: ({ source, message }) => void tell(`${source}: ${message}`),
      onInterruption: () => void tell('interrupted'),
      onError: (message) => void tell(`error: ${message}`),
      onDisconnect: ({ reason }) => void tell(`gone: ${reason}`),
    })
  },
  say: (text: string) => conversation?.sendUserMessage(text),
  mute: (isMuted: boolean) => conversation?.setMicMuted(isMuted),
  volume: () => conversation?.getOutputVolume() ?? 0,
  hangUp: () => conversation?.endSession(),
}
Object.assign(globalThis, page)
