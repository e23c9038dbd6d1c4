import type { Health, HealthRange, JobRetried, ProviderHealth } from '@parley/contracts'
import type { Caller } from '../auth/authenticate.ts'

/** The health of the server, for its admins. */
export interface HealthService {
  read(range: HealthRange, caller: Caller): Promise<Health>
  /** Asks the provider whether it answers, by a call that costs nothing. */
  probe(provider: string): Promise<ProviderHealth>
  /** Puts a job that was given up into its queue again. */
  retryJob(jobId: string, caller: Caller): Promise<JobRetried>
}
