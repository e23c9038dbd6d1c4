import { Worker, type WorkerOptions } from 'node:worker_threads'

/** The models have no business with our settings. */
const ofThread: WorkerOptions = { env: {}, execArgv: [] }

export const startRecognising = () =>
  new Worker(new URL('./recognising.worker.ts', import.meta.url), ofThread)

export const startSynthesising = () =>
  new Worker(new URL('./synthesising.worker.ts', import.meta.url), ofThread)
