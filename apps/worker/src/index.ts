/** The background worker: what learns from sources, as one program to start. */
export { type RunningWorker, startWorkerProcess } from './start-worker-process.ts'
