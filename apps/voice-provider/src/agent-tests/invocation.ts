import type { JsonBody } from '@parley/postgres'
import type { AgentDocument } from '../agents/agent-document.ts'
import type { CallTranscriptEntry } from '../conversation/conversation-document.ts'
import { toUnixSeconds } from '../documents.ts'
import type { TestOutcome } from './run-test.ts'

/** One run of one test, in the vendor's format. */
export interface AgentTestRun {
  readonly test_run_id: string
  readonly test_invocation_id: string
  readonly agent_id: string
  readonly branch_id: string
  readonly version_id: string
  readonly test_id: string
  readonly test_name: string
  readonly status: 'pending' | 'passed' | 'failed'
  readonly agent_responses: readonly CallTranscriptEntry[] | null
  readonly condition_result: ConditionResult | null
  readonly last_updated_at_unix: number
}

interface ConditionResult {
  readonly result: 'success' | 'failure' | 'unknown'
  readonly rationale: { readonly summary: string; readonly messages: readonly string[] }
}

/** Tests of an agent that were started together. */
export interface TestInvocation {
  readonly agent_id: string
  readonly branch_id: string
  readonly version_id: string
  readonly created_at: number
  readonly repeat_count: number
  readonly test_runs: readonly AgentTestRun[]
}

export const INVOCATION = 'test_invocation'

export const toInvocationBody = (invocation: TestInvocation): JsonBody => invocation as unknown as JsonBody
export const toInvocation = (body: JsonBody): TestInvocation => body as unknown as TestInvocation

export const toPendingRun = (
  { agentId, branchId, versionId }: AgentDocument,
  ids: Pick<AgentTestRun, 'test_run_id' | 'test_invocation_id' | 'test_id' | 'test_name'>,
  now: number,
): AgentTestRun => ({
  ...ids,
  agent_id: agentId,
  branch_id: branchId,
  version_id: versionId,
  status: 'pending',
  agent_responses: null,
  condition_result: null,
  last_updated_at_unix: toUnixSeconds(now),
})

/** Unknown results count as failed. */
export const toSettledRun = (
  run: AgentTestRun,
  { verdict: { result, reason }, reasons, transcript }: TestOutcome,
  now: number,
): AgentTestRun => ({
  ...run,
  status: result === 'success' ? 'passed' : 'failed',
  agent_responses: transcript,
  condition_result: {
    result,
    rationale: { summary: reason, messages: reasons.length > 1 ? reasons : [] },
  },
  last_updated_at_unix: toUnixSeconds(now),
})

export const failPending = (invocation: TestInvocation, reason: string, now: number): TestInvocation => ({
  ...invocation,
  test_runs: invocation.test_runs.map((run) =>
    run.status === 'pending'
      ? toSettledRun(run, { verdict: { result: 'unknown', reason }, reasons: [], transcript: [] }, now)
      : run,
  ),
})

/** Finished runs never change. */
export const mergeSettled = (stored: TestInvocation, runs: readonly AgentTestRun[]): TestInvocation => ({
  ...stored,
  test_runs: stored.test_runs.map((run, at) => (run.status === 'pending' ? (runs[at] ?? run) : run)),
})
