/**
 * The SDK is some 5,000 files; loading them takes a second or two, in which the process does nothing else. So it comes
 * with the first call, or earlier where a process would rather wait at its start.
 */
export const loadSdk = () => import('@elevenlabs/elevenlabs-js')
