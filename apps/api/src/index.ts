/** The HTTP API and the console, as one program to start. */
export { createLogger } from './logger.ts'
export { knownOwnerToken, ownerToken } from './owner-token.ts'
export { type RunningApi, startApi } from './start-api.ts'
