/** For one request to a server of this machine. A busy one answers late; one that is gone refuses at once. */
export const patience = (): AbortSignal => AbortSignal.timeout(15_000)
