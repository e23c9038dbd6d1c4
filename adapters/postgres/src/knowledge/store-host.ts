import type { JobQueue } from '../jobs/job-queue.ts'
import type { Run } from '../queries.ts'
import type { Transact, TransactMember } from './transact.ts'

export interface StoreHost {
  readonly run: Run
  readonly transact: Transact
  readonly jobs: JobQueue
}

/** With how members are let in who do not reach everything. */
export interface MembersHost extends StoreHost {
  readonly transactMember: TransactMember
  /** From this follow their capabilities. */
  readonly capabilityKey: Buffer
}
