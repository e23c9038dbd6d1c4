import { chmod, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AgentSession } from '@parley/contracts'
import type { AnyTool, ToolCallPlan, ToolCallRefusal, ToolSession } from '@parley/engine'
import { onTestFinished } from 'vitest'
import type { ToolPolicy } from '../tool-policy.ts'

/** An empty folder, deleted after the test. */
export async function freshFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'parley-command-')))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

export async function writeScript(file: string, ...lines: readonly string[]): Promise<string> {
  await writeFile(file, ['#!/bin/sh', ...lines, ''].join('\n'))
  await chmod(file, 0o755)
  return file
}

/** A program whose child leaves its parent, group and session, ignores signals, and writes its id to daemon.pid. */
export async function writeScriptThatLeavesChild(folder: string): Promise<string> {
  const daemon = await writeScript(
    join(folder, 'daemon'),
    `trap '' TERM HUP`,
    'echo $$ > daemon.pid',
    'while :; do sleep 1; done',
  )
  return writeScript(
    join(folder, 'run'),
    `(setsid ${daemon} > /dev/null 2>&1 < /dev/null &)`,
    'exec sleep 600',
  )
}

export const createToolSession = (
  workingDir: string,
  given: Partial<AgentSession['context']> = {},
): ToolSession => ({
  id: 'ses_made_up' as ToolSession['id'],
  ownerId: 'per_made_up' as ToolSession['ownerId'],
  agentSnapshot: { id: 'helper', model: 'scripted', provider: 'test', system_prompt: '' },
  context: { workingDir, fsScopeTier: 'sandboxed', ...given },
  readMedia: async () => undefined,
})

export const createPolicy = (given: Partial<ToolPolicy> = {}): ToolPolicy => ({
  tier: 'full',
  allowedCommands: [],
  allowedCommandGlobs: [],
  allowedDomains: [],
  httpHeaders: {},
  mcpServers: {},
  ...given,
})

export const planWith = (
  tools: readonly AnyTool[],
  name: string,
  input: object,
  signal = new AbortController().signal,
): Promise<ToolCallPlan | ToolCallRefusal> => {
  const tool = tools.find((each) => each.name === name)
  if (!tool) throw new Error(`there is no tool ${name}`)
  return tool.plan(input as never, signal)
}
