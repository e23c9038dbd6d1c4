/** A worker that takes a job, says so, and never ends it. */
import { startJobWorker } from '../start-job-worker.ts'

const forever = () => new Promise<never>(() => {})

await startJobWorker({
  databaseUrl: process.argv[2] ?? '',
  handlers: {
    'ingest-source': () => {
      process.stdout.write('taken\n')
      return forever()
    },
    'review-patch': forever,
    'propose-correction': forever,
    'remove-source': forever,
    'remove-reflection': forever,
    'rebuild-voice': forever,
    gaveUp: forever,
  },
})
