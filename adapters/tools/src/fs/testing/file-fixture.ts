import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { FsScopeTier, Json, SessionId } from '@parley/contracts'
import type { AnyTool, Media, ToolCallPlan, ToolCallRefusal, Secret, RawToolResult } from '@parley/engine'
import { onTestFinished } from 'vitest'
import { createFileTools } from '../file-tools.ts'

/** A folder with a working folder `work` inside, deleted after the test. */
export async function freshFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'parley-files-')))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await mkdir(join(folder, 'work'))
  return folder
}

/** Creates files by path, with their parent folders. */
export async function put(
  folder: string,
  files: Readonly<Record<string, string | Uint8Array>>,
): Promise<void> {
  const paths = Object.keys(files).map((path) => join(folder, path))
  for (const parent of new Set(paths.map((path) => dirname(path)))) await mkdir(parent, { recursive: true })
  for (const [path, content] of Object.entries(files)) await writeFile(join(folder, path), content)
}

interface Given {
  readonly workingDir: string
  readonly tier?: FsScopeTier
  readonly root?: string
  readonly home?: string
  readonly sessionId?: string
  readonly media?: Readonly<Record<string, Media>>
  readonly secrets?: readonly Secret[]
}

let sessions = 0

/** The file tools of a new session. */
export function toolsIn({
  workingDir,
  tier = 'sandboxed',
  root,
  home,
  sessionId,
  media = {},
  secrets = [],
}: Given) {
  sessions += 1
  const tools = createFileTools({
    session: {
      id: (sessionId ?? `ses_files${sessions}`) as SessionId,
      context: { workingDir, fsScopeTier: tier },
      readMedia: async (handle) => media[handle],
    },
    policy: { tier, ...(root !== undefined && { root }) },
    ...(home !== undefined && { home }),
    secrets: () => secrets,
  })
  const plan = (name: string, input: Json, signal = new AbortController().signal) =>
    planOf(tools, name, input, signal)
  /** Plans and runs a call as if a person allowed it; an exception becomes a failed call, as in the registry. */
  const call = async (
    name: string,
    input: Json,
    signal = new AbortController().signal,
  ): Promise<ToolCallRefusal | RawToolResult> => {
    try {
      const planned = await plan(name, input, signal)
      return planned.kind === 'refused' ? planned : await planned.carryOut(signal)
    } catch (failure) {
      return {
        kind: 'failed',
        code: 'tool_failed',
        text: failure instanceof Error ? failure.message : String(failure),
      }
    }
  }
  return { tools, plan, call }
}

async function planOf(
  tools: readonly AnyTool[],
  name: string,
  input: Json,
  signal: AbortSignal,
): Promise<ToolCallPlan | ToolCallRefusal> {
  const tool = tools.find((one) => one.name === name)
  const parsed = tool?.input.parse(input)
  if (!tool || parsed?.kind !== 'valid') throw new Error(`${name} does not take this.`)
  return tool.plan(parsed.input as never, signal)
}
