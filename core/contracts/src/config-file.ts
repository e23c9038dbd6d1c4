import { z } from 'zod'
import { Agent } from './agent.ts'
import { kebabIdSchema } from './kebab-id.ts'
import { BaseUrl } from './base-url.ts'
import { HttpHeaders, McpServerConfig } from './mcp-server.ts'
import { FsScopeTier, OnExceed } from './session-context.ts'
import { strictObject } from './strict-object.ts'

/** The kinds of model providers. Each has a row below and a record in adapters/llm/src/vendors. */
export const ProviderKind = z.enum(['anthropic', 'openai', 'google', 'openai-compatible'])
export type ProviderKind = z.infer<typeof ProviderKind>

interface ProviderKindConfig {
  /** The environment variable that usually holds the key. */
  readonly keyVariable?: string
  /** The environment variable that moves the vendor's own provider to another address. */
  readonly baseUrlVariable?: string
  /** It has no usual address. */
  readonly needsBaseUrl?: true
}

/** Here and not with the vendors: a config is read without loading them. */
export const PROVIDER_KINDS: Readonly<Record<ProviderKind, ProviderKindConfig>> = {
  anthropic: { keyVariable: 'ANTHROPIC_API_KEY', baseUrlVariable: 'ANTHROPIC_BASE_URL' },
  openai: { keyVariable: 'OPENAI_API_KEY', baseUrlVariable: 'OPENAI_BASE_URL' },
  google: { keyVariable: 'GOOGLE_GENERATIVE_AI_API_KEY' },
  'openai-compatible': { needsBaseUrl: true },
}

/** A model by its provider's name and its own, such as `anthropic/claude-sonnet-4-5`. */
export const ModelReference = z
  .string()
  .max(265)
  .regex(/^[a-z0-9-]+\/\S+$/, 'a provider and its model with a slash between, such as "offline/offline"')

const Commands = z.array(z.string().trim().min(1).max(2_000)).max(1_000)

const Host = z
  .string()
  .max(253)
  .regex(
    /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/,
    'a host name in lower case, such as "api.example.org", without scheme, port or path',
  )

const Domains = z.array(Host).max(1_000)

export const ChatConfig = strictObject({
  default_model: ModelReference.optional(),
  reasoning_effort: Agent.shape.reasoning_effort,
  fs_scope: FsScopeTier.optional(),
  /** 0 stands for the default. */
  max_turns: z.int().min(0).max(1_000_000).optional(),
  /** How many steps a turn has at most; 0 stands for the default. */
  max_tool_turns: z.int().min(0).max(1_000_000).optional(),
  max_messages: z.int().min(2).max(1_000_000).optional(),
  auto_compact: z.boolean().optional(),
  /** The part of the context window that may be full before older messages are summarised. */
  compact_threshold: z.number().min(0.1).max(0.95).optional(),
  max_cost_microcents: z.int().min(0).optional(),
  on_exceed: OnExceed.optional(),
  allowed_commands: Commands.optional(),
  allowed_command_globs: Commands.optional(),
  allowed_domains: Domains.optional(),
})
export type ChatConfig = z.infer<typeof ChatConfig>

const MicroCents = z.int().min(0)

const ModelConfig = strictObject({
  context_window: z.int().positive().optional(),
  /** Micro-cents for a million tokens. */
  price: strictObject({
    input: MicroCents,
    output: MicroCents,
    cached_input: MicroCents.optional(),
    cache_write: MicroCents.optional(),
  }).optional(),
})

export const VariableName = z
  .string()
  .max(200)
  .regex(
    /^[A-Za-z_][A-Za-z0-9_]*$/,
    'the name of an environment variable, such as "MY_API_KEY"; the key itself does not belong here',
  )

export const ProviderConfig = strictObject({
  kind: ProviderKind,
  base_url: BaseUrl.optional(),
  api_key_env: VariableName.optional(),
  models: z.record(z.string().min(1).max(200), ModelConfig).optional(),
}).superRefine(({ kind, base_url }, context) => {
  if (!PROVIDER_KINDS[kind].needsBaseUrl || base_url !== undefined) return
  const message = `a provider of the kind "${kind}" needs a base_url, such as "http://127.0.0.1:11434/v1"`
  context.addIssue({ code: 'custom', path: ['base_url'], message })
})
export type ProviderConfig = z.infer<typeof ProviderConfig>

export const ProviderName = kebabIdSchema.refine((name) => name !== 'offline', {
  message: '"offline" is the name of the model that is built in: choose another',
})

/** Who is asked when the web is searched. */
export const WebSearchConfig = strictObject({
  kind: z.enum(['searxng', 'brave']),
  url: BaseUrl,
  headers: HttpHeaders.optional(),
})
export type WebSearchConfig = z.infer<typeof WebSearchConfig>

/** What holds for everybody who uses a server of this person. */
const ServerConfig = strictObject({
  /** Sessions reach no file outside of it; `workspace` in the data folder where absent. */
  root: z.string().max(4_096).startsWith('/', 'an absolute path').optional(),
})

/** How background jobs learn from sources. */
const LearningConfig = strictObject({
  /** Who finds facts in sources, which are then sent to it, and tells who somebody is by them; rules do, on this machine, where absent. */
  model: ModelReference.optional(),
  /** Who makes vectors of sources and questions, which are then sent to it; search is by words alone where absent. */
  embedding_model: ModelReference.optional(),
})

/** What `config.toml`, `workspace.toml` and `project.toml` may hold. */
export const ConfigFile = strictObject({
  chat: ChatConfig.optional(),
  providers: z.record(ProviderName, ProviderConfig).optional(),
  mcp_servers: z.record(kebabIdSchema, McpServerConfig).optional(),
  /** By host: what goes along with each request to it, out of the model's reach. */
  http_headers: z.record(Host, HttpHeaders).optional(),
  web_search: WebSearchConfig.optional(),
  server: ServerConfig.optional(),
  learning: LearningConfig.optional(),
})
export type ConfigFile = z.infer<typeof ConfigFile>
