/** Stands in for the library of calls over WebRTC, which our calls are not: they go over a socket. */
export function Room(): never {
  throw new Error('Calls go over a socket here.')
}
export const RoomEvent = {}
export const ConnectionState = {}
export const Track = { Source: {}, Kind: {} }
export const createLocalAudioTrack = (): Promise<never> =>
  Promise.reject(new Error('Calls go over a socket here.'))
