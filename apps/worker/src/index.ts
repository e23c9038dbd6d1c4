/** The background worker that imports sources. */
export { startWorkerProcess } from './start-worker-process.ts'
