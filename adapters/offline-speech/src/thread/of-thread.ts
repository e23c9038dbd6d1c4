import type { WorkerOptions } from 'node:worker_threads'

/** The models have no business with our settings. */
export const ofThread: WorkerOptions = { env: {}, execArgv: [] }
