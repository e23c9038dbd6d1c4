import type { Body } from '@parley/postgres'
import type { AgentContent } from './agent-bodies.ts'
import type { Tip } from './versions.ts'

/** One of an agent's lines of versions, where it is not the one that callers meet. */
export interface BranchBody {
  readonly name: string
  readonly description: string
  readonly is_archived: boolean
  readonly parent_branch_id: string
  readonly tip: Tip
  readonly content: AgentContent
}

/** What is kept of an agent: its main branch. */
export interface AgentBody extends AgentContent {
  readonly main_branch_id: string
  readonly tip: Tip
}

/** What a branch is now. */
export interface Content {
  readonly content: AgentContent
  readonly tip: Tip
}

/** The document that holds a branch, and how what it is now is read from it and written to it. */
export interface Slot {
  readonly kind: 'agent' | 'agent_branch'
  readonly id: string
  readonly branchId: string
  readonly read: (body: Body) => Content
  readonly write: (body: Body, next: Content) => Body
}

export const mainSlot = (agentId: string, branchId: string): Slot => ({
  kind: 'agent',
  id: agentId,
  branchId,
  read: readMain,
  write: writeMain,
})

export const branchSlot = (branchId: string): Slot => ({
  kind: 'agent_branch',
  id: branchId,
  branchId,
  read: readBranch,
  write: writeBranch,
})

const readMain = (body: Body): Content => {
  const { main_branch_id: _, tip, ...content } = body as unknown as AgentBody
  return { content, tip }
}
const writeMain = ({ main_branch_id }: Body, { content, tip }: Content) =>
  ({ ...content, main_branch_id, tip }) as unknown as Body
const readBranch = (body: Body): Content => body as unknown as BranchBody
const writeBranch = (body: Body, { content, tip }: Content) => ({ ...body, content, tip }) as unknown as Body
