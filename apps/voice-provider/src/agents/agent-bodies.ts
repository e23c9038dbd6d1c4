import { z } from 'zod'
import { ConversationConfig } from './conversation-config.ts'
import { PlatformSettings } from './platform-settings.ts'

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
