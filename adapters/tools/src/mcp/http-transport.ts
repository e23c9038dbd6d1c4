import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { fillSecrets } from '../fill-secrets.ts'
import { createGuardedFetch } from '../http/create-guarded-fetch.ts'
import type { DialOptions } from '../http/dial.ts'
import type { SecretOf } from '../tool-policy.ts'
import { boundedFetch } from './bounded-fetch.ts'
import { McpFailure } from './mcp-failure.ts'
import type { McpLimits } from './mcp-limits.ts'

export interface HttpHost {
  readonly secretOf: SecretOf
  readonly dial?: DialOptions | undefined
  readonly limits: McpLimits
}

export interface HttpTransport {
  readonly transport: StreamableHTTPClientTransport
  readonly lastWords: () => string
}

interface UrlServer {
  readonly url: string
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly isOwn: boolean
}

/** Speaks with a server at an address: that host alone, and on this machine only where the person's own config says so. */
export function httpTransport({ url: given, headers = {}, isOwn }: UrlServer, host: HttpHost): HttpTransport {
  const url = new URL(given)
  if (isThisMachine(url) && !isOwn) throw new McpFailure(notHere(url))
  const { limits, secretOf, dial } = host
  let why = ''
  const guarded = createGuardedFetch({
    ...dial,
    allowedHosts: [url.hostname],
    ...(isOwn && isThisMachine(url) && { allowLoopback: url.origin }),
    // A server may think as long as a call may take before it says anything.
    limits: { headersMs: limits.longestCallMs },
  })
  const fetchBy = boundedFetch(guarded, limits, (reason) => {
    why ||= reason
    void transport.close()
  })
  const transport = new StreamableHTTPClientTransport(url, {
    fetch: fetchBy,
    requestInit: { headers: filled(headers, secretOf) },
  })
  return { transport, lastWords: () => why }
}

const isThisMachine = ({ hostname }: URL): boolean =>
  /^(.+\.)?localhost\.?$/.test(hostname) || hostname === '[::1]' || hostname.startsWith('127.')

const notHere = ({ host }: URL): string =>
  `It is at ${host}, on this machine. Only the person's own config (~/.parley/config.toml) may name such a server.`

function filled(headers: Readonly<Record<string, string>>, secretOf: SecretOf): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, template]) => {
      const value = fillSecrets(template, secretOf)
      // The library would quote the value.
      if (/[^\t\x20-\x7e\x80-\xff]/.test(value))
        throw new McpFailure(
          `Its header ${name} holds characters that a header cannot. Set the secret in it again.`,
        )
      return [name, value]
    }),
  )
}
