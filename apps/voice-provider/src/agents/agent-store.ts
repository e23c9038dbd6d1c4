import type { z } from 'zod'
import type { JsonBody, DocumentPage, ProviderPage, ProviderStore, StoredDocument } from '@parley/postgres'
import { createId, toUnixSeconds } from '../documents.ts'
import { isJsonObject } from '../json.ts'
import {
  type AgentBody,
  type AgentChange,
  AgentContent,
  type AgentDocument,
  type BranchBody,
  type BranchContent,
  type NewAgent,
  type BranchSlot,
  type BranchTip,
  createBranchSlot,
  saveVersion,
  createMainSlot,
} from './agent-document.ts'
import { PlatformSettings } from './platform-settings.ts'

/** With the branch that callers reach. */
export interface StoredAgent extends AgentDocument {
  readonly mainBranchId: string
}

export type AgentChangeResult =
  | { readonly kind: 'changed'; readonly agent: StoredAgent }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'invalid'; readonly issues: readonly z.core.$ZodIssue[]; readonly merged: unknown }

export interface AgentVersionRef {
  readonly versionId?: string | undefined
  readonly branchId?: string | undefined
}

/** Agents with their branches and versions. Every change creates a version. */
export interface AgentStore {
  create(agent: NewAgent): Promise<StoredAgent>
  /** The current agent, or the given version or branch. */
  find(agentId: string, place?: AgentVersionRef): Promise<StoredAgent | undefined>
  change(agentId: string, change: AgentChange, branchId?: string): Promise<AgentChangeResult>
  list(page: DocumentPage): Promise<ProviderPage<StoredAgent>>
  /** Also removes its branches and versions. */
  remove(agentId: string): Promise<boolean>
}

export function createAgentStore({ documents }: Pick<ProviderStore, 'documents'>): AgentStore {
  const selectBranch = async (main: StoredAgent, branchId: string) => {
    if (branchId === main.branchId) return main
    const branch = await documents.get('agent_branch', branchId)
    if (branch?.parentId !== main.agentId) return undefined
    const { content, tip } = branch.body as unknown as BranchBody
    return {
      ...main,
      ...content,
      branchId,
      versionId: tip.version_id,
      updatedAtUnixSecs: toUnixSeconds(branch.updatedAt),
    }
  }

  const selectVersion = async (main: StoredAgent, versionId: string) => {
    if (versionId === main.versionId) return main
    const version = await documents.get('agent_version', versionId)
    if (version?.parentId !== main.agentId) return undefined
    const { content, branch_id } = version.body as unknown as { content: AgentContent; branch_id: string }
    return { ...main, ...content, branchId: branch_id, versionId }
  }

  const findSlot = async (agentId: string, branchId: string | undefined): Promise<BranchSlot | undefined> => {
    const main = await documents.get('agent', agentId)
    if (!main) return undefined
    const { main_branch_id } = toAgentBody(main)
    if (branchId === undefined || branchId === main_branch_id) {
      return createMainSlot(agentId, main_branch_id)
    }
    const branch = await documents.get('agent_branch', branchId)
    if (branch?.parentId !== agentId) return undefined
    return createBranchSlot(branchId)
  }

  const agents: AgentStore = {
    async create({ name, tags, conversation_config, platform_settings, workflow }) {
      const content: AgentContent = {
        name: name ?? 'New agent',
        tags: tags ?? [],
        conversation_config,
        platform_settings: platform_settings ?? PlatformSettings.parse({}),
        ...(workflow && { workflow }),
      }
      const tip: BranchTip = {
        version_id: createId('agtvrsn'),
        number: 1,
        previous_id: null,
        description: '',
      }
      const body: AgentBody = { ...content, main_branch_id: createId('agtbrch'), tip }
      const agent = await documents.put('agent', { id: createId('agent'), body: body as unknown as JsonBody })
      await saveVersion(documents, { agentId: agent.id, branchId: body.main_branch_id, tip, content })
      return toAgent(agent)
    },

    async find(agentId, { versionId, branchId } = {}) {
      const found = await documents.get('agent', agentId)
      if (!found) return undefined
      const main = toAgent(found)
      if (versionId !== undefined) return selectVersion(main, versionId)
      return branchId === undefined ? main : selectBranch(main, branchId)
    },

    async change(agentId, change, branchId) {
      const slot = await findSlot(agentId, branchId)
      if (!slot) return { kind: 'unknown' }
      let outcome: ChangeOutcome | undefined
      await documents.change(slot.kind, slot.id, (body) => {
        outcome = applyChange(slot.read(body), change)
        return outcome.kind === 'next' ? slot.write(body, outcome) : undefined
      })
      // It may have been removed since.
      if (!outcome) return { kind: 'unknown' }
      if (outcome.kind === 'invalid') return outcome
      const { content, tip } = outcome
      await saveVersion(documents, { agentId, branchId: slot.branchId, tip, content })
      const agent = await agents.find(agentId, { branchId: slot.branchId })
      return agent ? { kind: 'changed', agent } : { kind: 'unknown' }
    },

    async list(page) {
      const { items, ...more } = await documents.list('agent', page)
      return { items: items.map(toAgent), ...more }
    },

    remove: (agentId) => documents.remove('agent', agentId),
  }
  return agents
}

type ChangeOutcome =
  | ({ readonly kind: 'next' } & BranchContent)
  | Extract<AgentChangeResult, { kind: 'invalid' }>

function applyChange({ content, tip }: BranchContent, change: AgentChange): ChangeOutcome {
  const merged = mergeChange(content, change)
  const parsed = AgentContent.safeParse(merged)
  if (!parsed.success) return { kind: 'invalid', issues: parsed.error.issues, merged }
  const description = change.version_description ?? ''
  const next = {
    version_id: createId('agtvrsn'),
    number: tip.number + 1,
    previous_id: tip.version_id,
    description,
  }
  return { kind: 'next', content: parsed.data, tip: next }
}

/** Null counts as absent. */
function mergeChange(content: AgentContent, change: AgentChange): Readonly<Record<string, unknown>> {
  const named = PARTS.filter((part) => change[part] !== undefined && change[part] !== null)
  return {
    ...content,
    ...Object.fromEntries(named.map((part) => [part, mergeConfig(content[part], change[part])])),
  }
}

const PARTS = ['name', 'tags', 'conversation_config', 'platform_settings', 'workflow'] as const

const toAgentBody = ({ body }: StoredDocument) => body as unknown as AgentBody

function toAgent(document: StoredDocument): StoredAgent {
  const { main_branch_id, tip, ...content } = toAgentBody(document)
  return {
    agentId: document.id,
    mainBranchId: main_branch_id,
    branchId: main_branch_id,
    versionId: tip.version_id,
    ...content,
    createdAtUnixSecs: toUnixSeconds(document.createdAt),
    updatedAtUnixSecs: toUnixSeconds(document.updatedAt),
  }
}

/** Maps with free keys. They are replaced as a whole, so entries can be removed. */
const REPLACED_AS_WHOLE: readonly string[] = [
  'dynamic_variable_placeholders',
  'language_presets',
  'data_collection',
  'request_headers',
  'path_params_schema',
  'query_params_schema',
  'request_body_schema',
  'parameters',
  'nodes',
  'edges',
]

/** Merges a change: objects field by field, other values as a whole. */
export function mergeConfig(current: unknown, change: unknown): unknown {
  if (!isJsonObject(current) || !isJsonObject(change)) return change
  const merged: Record<string, unknown> = { ...current }
  for (const [name, value] of Object.entries(change)) {
    merged[name] = REPLACED_AS_WHOLE.includes(name) ? value : mergeConfig(current[name], value)
  }
  return merged
}
