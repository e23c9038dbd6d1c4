import { readFileSync } from 'node:fs'
import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type Agent,
  type ApprovalDecision,
  type Json,
  type MediaHandle,
  type ToolGrant,
  createMediaHandle,
} from '@parley/contracts'
import { createToolRegistry, type ToolSession } from '@parley/engine'
import { onTestFinished } from 'vitest'
import { sha256 } from '../fs/read-bytes.ts'
import type { McpServerPolicy } from '../tool-policy.ts'
import { createMcpClients, type McpClientsOptions } from './create-mcp-clients.ts'
import { createMcpTools } from './mcp-tools.ts'

interface Given extends Partial<McpClientsOptions> {
  readonly servers?: Readonly<Record<string, McpServerPolicy>>
  /** Defaults to all servers of the config. */
  readonly named?: Agent['mcp_servers']
  readonly ownOnly?: boolean
  readonly workingDir?: string
}

/** mcp_call in the real registry, with connections that close after the test. */
export async function openMcp({ servers = {}, named, ownOnly, workingDir, ...options }: Given) {
  const folder = workingDir ?? (await freshFolder())
  const home = await freshFolder()
  const clients = createMcpClients({ environment: {}, findSecret: () => undefined, home, ...options })
  onTestFinished(() => clients.close())
  const session: ToolSession = {
    id: 'ses_made_up' as ToolSession['id'],
    ownerId: 'per_made_up' as ToolSession['ownerId'],
    agentSnapshot: {
      id: 'helper',
      model: 'scripted',
      provider: 'test',
      system_prompt: '',
      mcp_servers: named ?? Object.keys(servers),
    },
    context: { workingDir: folder, fsScopeTier: 'sandboxed' },
    readMedia: async () => undefined,
  }
  const tools = createToolRegistry(
    createMcpTools({ session, policy: { mcpServers: servers }, clients, ownOnly }),
    {
      granted: ['mcp_call'],
      secrets: () => [],
      hash: sha256,
      encodeUtf8: (text) => new TextEncoder().encode(text),
      toMediaHandle: (bytes): MediaHandle => createMediaHandle(sha256(bytes)),
    },
  )
  const grants: ToolGrant[] = []

  const decide = (input: Json, signal = new AbortController().signal, inputHash?: string) => {
    const decision: ApprovalDecision = 'allow'
    return tools.decide(
      { id: 'call_made_up' as never, name: 'mcp_call', input },
      { signal, grants, ...(inputHash !== undefined && { answer: { decision, inputHash } }) },
    )
  }

  return {
    folder,
    clients,
    tools,
    grants,
    decide,
    /** Makes a call that a person allows. */
    call: async (input: Json, signal = new AbortController().signal) => {
      const decided = await decide(input, signal)
      const final = decided.kind === 'asks' ? await decide(input, signal, decided.inputHash) : decided
      if (final.kind === 'refused') return { outcome: final.outcome }
      if (final.kind === 'asks') throw new Error('asked once more')
      return final.carryOut(signal)
    },
  }
}

/** An empty folder, deleted after the test. */
export async function freshFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'parley-mcp-')))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

export const hostile = (
  behaviour: string,
  file = '',
  given: Partial<McpServerPolicy> = {},
): McpServerPolicy => ({
  command: process.execPath,
  args: [new URL('testing/hostile-server.ts', import.meta.url).pathname, behaviour, file],
  isOwn: true,
  ...given,
})

/** A zombie process is not alive. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return process.platform !== 'linux' || !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}
