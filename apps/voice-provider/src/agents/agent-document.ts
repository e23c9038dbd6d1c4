import { z } from 'zod'
import type { Body, ProviderStore } from '@parley/postgres'
import { ConversationConfig } from './conversation-config.ts'
import { PlatformSettings } from './platform-settings.ts'

export type { ToolDocument } from './tool-document.ts'

/** An agent as its workspace keeps it: what stands on the wire keeps the wire's names. */
export interface AgentDocument {
  readonly agentId: string
  readonly branchId: string
  readonly versionId: string
  readonly name: string
  readonly tags: readonly string[]
  readonly conversation_config: ConversationConfig
  readonly platform_settings: PlatformSettings
  readonly workflow?: unknown
  readonly createdAtUnixSecs: number
  readonly updatedAtUnixSecs: number
}

/** Kept as it came: what workflows do is not offered here. */
const Workflow = z.looseObject({
  nodes: z.record(z.string(), z.unknown()).default({}),
  edges: z.record(z.string(), z.unknown()).default({}),
  prevent_subagent_loops: z.boolean().default(false),
})

/** What of an agent is versioned. */
export const AgentContent = z.object({
  name: z.string(),
  tags: z.array(z.string()),
  conversation_config: ConversationConfig,
  platform_settings: PlatformSettings.prefault({}),
  workflow: Workflow.optional(),
})
export type AgentContent = z.infer<typeof AgentContent>

export const NewAgent = AgentContent.extend({
  name: z.string().nullish(),
  tags: z.array(z.string()).nullish(),
  platform_settings: PlatformSettings.nullish(),
  workflow: Workflow.nullish(),
})
export type NewAgent = z.infer<typeof NewAgent>

/** What is not named stays as it is. The parts are checked once they are laid over what is there. */
export const AgentChange = z.object({
  name: z.string().nullish(),
  tags: z.array(z.string()).nullish(),
  conversation_config: z.looseObject({}).nullish(),
  platform_settings: z.looseObject({}).nullish(),
  workflow: z.looseObject({}).nullish(),
  version_description: z.string().nullish(),
})
export type AgentChange = z.infer<typeof AgentChange>

/** The last version of a branch. */
export interface Tip {
  readonly version_id: string
  /** Its place in the branch, from 1. */
  readonly number: number
  readonly previous_id: string | null
  readonly description: string
}

interface NewVersion {
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
