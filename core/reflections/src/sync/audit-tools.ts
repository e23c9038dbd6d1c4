import { VoiceAction } from '@parley/contracts'
import type { ToolIds } from '../template/build-elevenlabs-agent-template.ts'
import { type Difference, differencesOf } from '../template/differences-of.ts'
import type { SyncHost } from './sync-host.ts'

export interface ToolsAudit {
  /** Of the tools that the agent has, by their names; one that it lacks stands there by its name. */
  readonly ids: ToolIds
  readonly differences: readonly Difference[]
  readonly beyond: readonly string[]
}

/** The tools of an agent beside those that it should have, field by field. */
export async function auditTools(
  toolIds: readonly string[],
  { provider, tools }: Pick<SyncHost, 'provider' | 'tools'>,
  signal: AbortSignal,
): Promise<ToolsAudit> {
  const wanted = await tools.wanted(signal)
  const read = await Promise.all(
    toolIds.map(async (toolId) => {
      const held = await provider.readTool(toolId, signal)
      return held ? [{ toolId, ...held }] : []
    }),
  )
  const found = VoiceAction.options.flatMap((action) => {
    const held = read.flat().find(({ tool }) => tool.name === action)
    return held ? [{ action, held }] : []
  })
  const idOf = (action: VoiceAction) => found.find((one) => one.action === action)?.held.toolId ?? action
  return {
    ids: {
      'retrieve-context': idOf('retrieve-context'),
      'request-source-ingest': idOf('request-source-ingest'),
      'propose-fact-correction': idOf('propose-fact-correction'),
    },
    differences: found.flatMap(({ action, held }) =>
      differencesOf(wanted[action], held.tool, `tools.${action}`),
    ),
    beyond: found.flatMap(({ action, held }) => held.beyond.map((path) => `tools.${action}.${path}`)),
  }
}
