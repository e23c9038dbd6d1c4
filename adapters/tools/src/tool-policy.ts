import {
  type FsScopeTier,
  type McpServerConfig,
  PlatformError,
  type WebSearchConfig,
} from '@parley/contracts'

/** What the person's config allows the tools of a session; an agent and a session only narrow it. */
export interface ToolPolicy {
  /** The widest tier that a session may have. */
  readonly tier: FsScopeTier
  /** A folder that no session leaves, whatever its tier: for a server. */
  readonly root?: string
  readonly allowedCommands: readonly string[]
  readonly allowedCommandGlobs: readonly string[]
  readonly allowedDomains: readonly string[]
  /** By host; values may name secrets. */
  readonly httpHeaders: Readonly<Record<string, Readonly<Record<string, string>>>>
  readonly webSearch?: WebSearchConfig & { readonly isOwn: boolean }
  readonly mcpServers: Readonly<Record<string, McpServer>>
}

export interface McpServer extends McpServerConfig {
  /** The person's own config names it, not a project's or an agent's: it may be on this machine. */
  readonly isOwn: boolean
}

/** What a secret is, by its name; undefined where there is none. */
export type SecretOf = (name: string) => string | undefined

/** Puts secrets in place of `{{secrets.NAME}}`; throws where there is none of that name. */
export const fillSecrets = (template: string, secretOf: SecretOf): string =>
  template.replace(NAMED, (_, name: string) => {
    const value = secretOf(name)
    if (value === undefined) throw missing(name)
    return value
  })

const NAMED = /\{\{\s*secrets\.([A-Za-z_][A-Za-z0-9_]*)\s*\}\}/g

/** A model has no business with secrets: what it writes never names one. */
export const namesSecret = (text: string): boolean => /\{\{\s*secrets\s*[.[]/.test(text)

const missing = (name: string) =>
  new PlatformError('config_invalid', {
    message: `There is no secret ${name}.`,
    mend: `Set it with: parley keys set ${name}`,
    name,
  })
