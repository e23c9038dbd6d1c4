import type { Body, ProviderStore } from '@parley/postgres'
import type { AgentContent } from './agent-bodies.ts'

/** The last version of a branch. */
export interface Tip {
  readonly version_id: string
  /** Its place in the branch, from 1. */
  readonly number: number
  readonly previous_id: string | null
  readonly description: string
}

export interface NewVersion {
  readonly agentId: string
  readonly branchId: string
  readonly tip: Tip
  readonly content: AgentContent
}

/** What an agent was at one time, to be read by the version's id. */
export async function keepVersion(
  documents: ProviderStore['documents'],
  { agentId, branchId, tip, content }: NewVersion,
): Promise<void> {
  const body = { branch_id: branchId, tip, content }
  await documents.put('agent_version', {
    id: tip.version_id,
    parentId: agentId,
    body: body as unknown as Body,
  })
}
