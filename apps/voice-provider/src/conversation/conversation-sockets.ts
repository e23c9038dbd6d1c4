import { WebSocketServer } from 'ws'

/** Larger frames close the socket before they are read: a second of sound is a tenth of this. */
const MOST_FRAME_BYTES = 1_000_000

/** Upgrades HTTP requests to conversations. A browser wants its subprotocol back; other clients offer none. */
export const conversationSockets = (): WebSocketServer =>
  new WebSocketServer({
    noServer: true,
    maxPayload: MOST_FRAME_BYTES,
    perMessageDeflate: false,
    handleProtocols: (offered) => (offered.has('convai') ? 'convai' : false),
  })
