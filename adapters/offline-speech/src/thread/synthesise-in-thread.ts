import { Worker } from 'node:worker_threads'
import { ofThread } from './of-thread.ts'

export const startSynthesising = () =>
  new Worker(new URL('./synthesising.worker.ts', import.meta.url), ofThread)
