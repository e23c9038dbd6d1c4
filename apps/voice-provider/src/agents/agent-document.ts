import { z } from 'zod'
import type { JsonBody, ProviderStore } from '@parley/postgres'
import { ConversationConfig } from './conversation-config.ts'
import { PlatformSettings } from './platform-settings.ts'

/** A stored agent. Fields from the wire keep the wire's names. */
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

/** Stored unchanged; workflows are not supported. */
const Workflow = z.looseObject({
  nodes: z.record(z.string(), z.unknown()).default({}),
  edges: z.record(z.string(), z.unknown()).default({}),
  prevent_subagent_loops: z.boolean().default(false),
})

/** The versioned part of an agent. */
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

/** Missing fields stay unchanged. The parts are validated after merging. */
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
export interface BranchTip {
  readonly version_id: string
  /** Position in the branch, from 1. */
  readonly number: number
  readonly previous_id: string | null
  readonly description: string
}

interface NewVersion {
  readonly agentId: string
  readonly branchId: string
  readonly tip: BranchTip
  readonly content: AgentContent
}

/** Stores an agent's content under the version's id. */
export async function saveVersion(
  documents: ProviderStore['documents'],
  { agentId, branchId, tip, content }: NewVersion,
): Promise<void> {
  const body = { branch_id: branchId, tip, content }
  await documents.put('agent_version', {
    id: tip.version_id,
    parentId: agentId,
    body: body as unknown as JsonBody,
  })
}

/** A stored branch other than the main branch. */
export interface BranchBody {
  readonly name: string
  readonly description: string
  readonly is_archived: boolean
  readonly parent_branch_id: string
  readonly tip: BranchTip
  readonly content: AgentContent
}

/** A stored agent with its main branch. */
export interface AgentBody extends AgentContent {
  readonly main_branch_id: string
  readonly tip: BranchTip
}

/** The current state of a branch. */
export interface BranchContent {
  readonly content: AgentContent
  readonly tip: BranchTip
}

/** The document that stores a branch, and how to read and write it. */
export interface BranchSlot {
  readonly kind: 'agent' | 'agent_branch'
  readonly id: string
  readonly branchId: string
  readonly read: (body: JsonBody) => BranchContent
  readonly write: (body: JsonBody, next: BranchContent) => JsonBody
}

export const createMainSlot = (agentId: string, branchId: string): BranchSlot => ({
  kind: 'agent',
  id: agentId,
  branchId,
  read: readMain,
  write: writeMain,
})

export const createBranchSlot = (branchId: string): BranchSlot => ({
  kind: 'agent_branch',
  id: branchId,
  branchId,
  read: readBranch,
  write: writeBranch,
})

const readMain = (body: JsonBody): BranchContent => {
  const { main_branch_id: _, tip, ...content } = body as unknown as AgentBody
  return { content, tip }
}
const writeMain = ({ main_branch_id }: JsonBody, { content, tip }: BranchContent) =>
  ({ ...content, main_branch_id, tip }) as unknown as JsonBody
const readBranch = (body: JsonBody): BranchContent => body as unknown as BranchBody
const writeBranch = (body: JsonBody, { content, tip }: BranchContent) =>
  ({ ...body, content, tip }) as unknown as JsonBody
