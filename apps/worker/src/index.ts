/** The background worker that imports sources. */
export { type RunningWorker, startWorkerProcess } from './start-worker-process.ts'
