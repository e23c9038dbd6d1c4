import { z } from 'zod'
import { Agent } from './agent.ts'
import { kebabIdSchema } from './ids.ts'
import { BaseUrl, HttpHeaders, McpServerConfig } from './mcp-server.ts'
import { FsScopeTier, OnExceed } from './session.ts'
import { strictObject } from './strict-object.ts'

interface ProviderKindConfig {
  /** The environment variable that usually holds the key. */
  readonly keyVariable?: string
  /** The environment variable that overrides the vendor's address. */
  readonly baseUrlVariable?: string
  /** It has no default address. */
  readonly needsBaseUrl?: true
  /** The start of its models' names among those that ElevenLabs offers, for agents of the local voice provider. */
  readonly modelPrefix?: string
}

const KINDS = {
  anthropic: {
    keyVariable: 'ANTHROPIC_API_KEY',
    baseUrlVariable: 'ANTHROPIC_BASE_URL',
    modelPrefix: 'claude-',
  },
  openai: { keyVariable: 'OPENAI_API_KEY', baseUrlVariable: 'OPENAI_BASE_URL', modelPrefix: 'gpt-' },
  google: { keyVariable: 'GOOGLE_GENERATIVE_AI_API_KEY', modelPrefix: 'gemini-' },
  'openai-compatible': { needsBaseUrl: true },
} satisfies Record<string, ProviderKindConfig>

export type ProviderKind = keyof typeof KINDS
export const ProviderKind = z.enum(Object.keys(KINDS) as ProviderKind[])

/** Not in adapters/llm: a config is read without loading the vendors' code. */
export const PROVIDER_KINDS: Readonly<Record<ProviderKind, ProviderKindConfig>> = KINDS

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
  default_model: ModelReference.optional().describe(
    'the model of sessions that name no other, such as `anthropic/claude-sonnet-4-5`',
  ),
  reasoning_effort: Agent.shape.reasoning_effort.describe('how much the model may think before it answers'),
  fs_scope: FsScopeTier.optional().describe(
    'files that tools can reach: `sandboxed` is the working folder, `project` the project around it, `full` every file except protected ones',
  ),
  max_turns: z
    .int()
    .min(0)
    .max(1_000_000)
    .optional()
    .describe('maximum turns of a session; 0 means the default'),
  max_tool_turns: z
    .int()
    .min(0)
    .max(1_000_000)
    .optional()
    .describe('maximum model calls in one turn; 0 means the default'),
  max_messages: z
    .int()
    .min(2)
    .max(1_000_000)
    .optional()
    .describe('maximum number of messages sent to the model'),
  auto_compact: z
    .boolean()
    .optional()
    .describe('summarise older messages when the context window is nearly full'),
  compact_threshold: z
    .number()
    .min(0.1)
    .max(0.95)
    .optional()
    .describe('share of the context window that may be full before older messages are summarised'),
  max_cost_microcents: z
    .int()
    .min(0)
    .optional()
    .describe('budget of a session in micro-cents; 100,000,000 micro-cents are one dollar'),
  on_exceed: OnExceed.optional().describe('action before a model call that could exceed the budget'),
  allowed_commands: Commands.optional().describe('commands that run without asking; exact match'),
  allowed_command_globs: Commands.optional().describe(
    'commands that run after you approve; `*` matches any plain text, never an extra option',
  ),
  allowed_domains: Domains.optional().describe(
    'hosts for HTTP requests; only GET and HEAD run without asking',
  ),
})
export type ChatConfig = z.infer<typeof ChatConfig>

const MicroCents = z.int().min(0)

const ModelConfig = strictObject({
  context_window: z.int().positive().optional().describe('its context window, in tokens'),
  price: strictObject({
    input: MicroCents.describe('price of a million input tokens, in micro-cents'),
    output: MicroCents.describe('price of a million output tokens'),
    cached_input: MicroCents.optional().describe('price of a million input tokens read from the cache'),
    cache_write: MicroCents.optional().describe('price of a million input tokens written to the cache'),
  }).optional(),
})

export const VariableName = z
  .string()
  .max(200)
  .regex(
    /^[A-Za-z_][A-Za-z0-9_]*$/,
    'the name of an environment variable, such as "MY_API_KEY"; the key itself does not belong here',
  )

const KINDS_WITHOUT_ADDRESS = ProviderKind.options
  .filter((kind) => PROVIDER_KINDS[kind].needsBaseUrl)
  .map((kind) => `\`${kind}\``)
  .join(', ')

export const ProviderConfig = strictObject({
  kind: ProviderKind.describe('its API'),
  base_url: BaseUrl.optional().describe(
    `its address; required for ${KINDS_WITHOUT_ADDRESS}, otherwise the usual address is the default`,
  ),
  api_key_env: VariableName.optional().describe(
    'the environment variable that holds its key; never the key itself',
  ),
  models: z.record(z.string().min(1).max(200), ModelConfig).optional(),
}).superRefine(({ kind, base_url }, context) => {
  if (!PROVIDER_KINDS[kind].needsBaseUrl || base_url !== undefined) return
  const message = `a provider of the kind "${kind}" needs a base_url, such as "http://127.0.0.1:11434/v1"`
  context.addIssue({ code: 'custom', path: ['base_url'], message })
})
export type ProviderConfig = z.infer<typeof ProviderConfig>

export const ProviderName = kebabIdSchema.refine((name) => name !== 'offline', {
  message: '"offline" is the name of the built-in model: choose another',
})

export const WebSearchConfig = strictObject({
  kind: z.enum(['searxng', 'brave']).describe('its API'),
  url: BaseUrl.describe('its address'),
  headers: HttpHeaders.optional().describe('headers of each search, such as its key'),
}).describe('The search engine of the `web_search` tool. Without it, the tool is not available.')
export type WebSearchConfig = z.infer<typeof WebSearchConfig>

const ServerConfig = strictObject({
  root: z
    .string()
    .max(4_096)
    .startsWith('/', 'an absolute path')
    .optional()
    .describe('absolute path of the folder for sessions; tools reach no file outside it'),
}).describe('Applies to everyone who uses your server.')

const LearningConfig = strictObject({
  model: ModelReference.optional().describe(
    'extracts facts and writes the private narrative; sources are sent to it',
  ),
  embedding_model: ModelReference.optional().describe(
    'makes vectors for search; sources and questions are sent to it',
  ),
}).describe('How background jobs learn from sources.')

/** The content of `config.toml`, `workspace.toml` and `project.toml`. */
export const ConfigFile = strictObject({
  chat: ChatConfig.optional().describe('Settings and limits of sessions.'),
  providers: z
    .record(ProviderName, ProviderConfig)
    .optional()
    .describe('Model providers by name. `parley providers add` writes them.'),
  mcp_servers: z
    .record(kebabIdSchema, McpServerConfig)
    .optional()
    .describe('MCP servers by name. Each has a `command` or a `url`.'),
  http_headers: z
    .record(Host, HttpHeaders)
    .optional()
    .describe(
      'HTTP headers added to requests to a host, such as `[http_headers."api.example.org"]`. The model never sees them. The host must be in `allowed_domains`.',
    ),
  web_search: WebSearchConfig.optional(),
  server: ServerConfig.optional(),
  learning: LearningConfig.optional(),
})
export type ConfigFile = z.infer<typeof ConfigFile>
