import { Conversation } from '@elevenlabs/client'

/** Tells the test, which listens, what happens in the page. */
declare const tell: (line: string) => Promise<void>

let conversation: Conversation | undefined

/** What the test calls in the page. */
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
