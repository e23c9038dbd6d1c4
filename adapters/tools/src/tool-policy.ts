import {
  type FsScopeTier,
  type McpServerConfig,
  PlatformError,
  type WebSearchConfig,
} from '@parley/contracts'

/** What the person's config allows a session's tools; agent and session can only narrow it. */
export interface ToolPolicy {
  /** The widest tier for sessions. */
  readonly tier: FsScopeTier
  /** A folder that no session leaves, in any tier. Set on servers. */
  readonly root?: string
  readonly allowedCommands: readonly string[]
  readonly allowedCommandGlobs: readonly string[]
  readonly allowedDomains: readonly string[]
  /** By host; values may refer to secrets. */
  readonly httpHeaders: Readonly<Record<string, Readonly<Record<string, string>>>>
  readonly webSearch?: WebSearchConfig & { readonly isOwn: boolean }
  readonly mcpServers: Readonly<Record<string, McpServerPolicy>>
}

export interface McpServerPolicy extends McpServerConfig {
  /** From the person's own config, not a project's or an agent's: it may be on this machine. */
  readonly isOwn: boolean
}

/** Looks up a secret by name; undefined if it is not set. */
export type FindSecret = (name: string) => string | undefined

/** Replaces each `{{secrets.NAME}}` by its value; throws if the secret is not set. */
export const fillSecrets = (template: string, findSecret: FindSecret): string =>
  template.replace(SECRET_REFERENCE, (_, name: string) => {
    const value = findSecret(name)
    if (value === undefined) throw createMissingSecretError(name)
    return value
  })

const SECRET_REFERENCE = /\{\{\s*secrets\.([A-Za-z_][A-Za-z0-9_]*)\s*\}\}/g

/** Whether a text of the model refers to a secret, which is never allowed. */
export const namesSecret = (text: string): boolean => /\{\{\s*secrets\s*[.[]/.test(text)

const createMissingSecretError = (name: string) =>
  new PlatformError('config_invalid', {
    message: `There is no secret ${name}.`,
    fix: `Set it with: parley keys set ${name}`,
    name,
  })
