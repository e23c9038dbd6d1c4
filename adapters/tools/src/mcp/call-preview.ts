import type { Preview } from '@parley/contracts'
import type { NamedServer } from './find-server.ts'

/** What a person sees before they allow a call. */
export function callPreview(server: NamedServer, tool: string, given: Record<string, unknown>): Preview {
  const text = [
    `MCP server: ${server.name} (${whereOf(server)})`,
    `Tool: ${tool}`,
    `Arguments: ${JSON.stringify(given, undefined, 2)}`,
  ].join('\n')
  return { kind: 'text', text: visible(bounded(text, LONGEST)) }
}

const LONGEST = 20_000
const LONGEST_PLACE = 500

const whereOf = ({ command, args = [], url }: NamedServer): string =>
  bounded(url ?? [command, ...args].join(' '), LONGEST_PLACE)

const bounded = (text: string, longest: number): string =>
  text.length > longest ? `${text.slice(0, longest)} … ${text.length - longest} characters more` : text

/** Signs that cannot be seen, or that turn around what is seen, are written as their numbers. */
const visible = (text: string): string =>
  text.replace(/[^\P{C}\n]|[\p{Zl}\p{Zp}]/gu, (sign) => `\\u{${sign.codePointAt(0)?.toString(16)}}`)
