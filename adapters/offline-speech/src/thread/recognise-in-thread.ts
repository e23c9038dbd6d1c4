import { Worker } from 'node:worker_threads'
import { ofThread } from './of-thread.ts'

export const startRecognising = () =>
  new Worker(new URL('./recognising.worker.ts', import.meta.url), ofThread)
