/** Replaces the WebRTC library, which we do not use: calls go over a WebSocket. */
export function Room(): never {
  throw new Error('Calls use a WebSocket, not WebRTC.')
}
export const RoomEvent = {}
export const ConnectionState = {}
export const Track = { Source: {}, Kind: {} }
export const createLocalAudioTrack = (): Promise<never> =>
  Promise.reject(new Error('Calls use a WebSocket, not WebRTC.'))
