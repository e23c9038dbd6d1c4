import { Worker, type WorkerOptions } from 'node:worker_threads'

/** The models get no environment variables and no Node options. */
const THREAD_OPTIONS: WorkerOptions = { env: {}, execArgv: [] }

export const startRecognising = () =>
  new Worker(new URL('./recognising.worker.ts', import.meta.url), THREAD_OPTIONS)

export const startSynthesising = () =>
  new Worker(new URL('./synthesising.worker.ts', import.meta.url), THREAD_OPTIONS)
