import { type Agent, PlatformError, ToolName, unknownTool } from '@parley/contracts'
import type { MergedConfig } from '../config/merge-config.ts'
import { needOf, toolsHere } from './tools-here.ts'

/** What `--tools` names: `none`, or tools with commas between. */
export function readTools(given: string | undefined): readonly string[] | undefined {
  if (given === undefined) return undefined
  if (given.trim() === 'none') return []
  const names = given.split(',').map((name) => name.trim())
  const unknown = names.find((name) => unknownTool(name) !== undefined)
  if (unknown === undefined) return names
  throw new PlatformError('validation', {
    message: `In --tools ${unknownTool(unknown)?.replace(/[^?]$/, '$&.')}`,
    mend: `Known are: ${ToolName.options.join(', ')}; "none" is none of them.`,
    given: unknown,
  })
}

interface Asking {
  readonly agent: Agent
  readonly asked: readonly string[] | undefined
  readonly settings: Pick<MergedConfig, 'chat' | 'web_search'>
  readonly ownFile: string
}

/** What a person is told who asks for tools that they do not get. */
export function toolNotices({ agent, asked = [], settings, ownFile }: Asking): readonly string[] {
  const here = toolsHere(agent, settings)
  const notices = asked
    .filter((tool) => !here.includes(tool))
    .map((tool) => {
      const need = needOf(tool)
      return agent.tools?.includes(tool) && need !== undefined
        ? `There is no ${tool} until your config has ${need}: ${ownFile}`
        : `The agent "${agent.id}" does not have ${tool}; --tools gives an agent none that it does not have.`
    })
  const isNone = asked.length > 0 && asked.every((tool) => !here.includes(tool))
  return isNone ? [...notices, `This leaves the agent "${agent.id}" without tools.`] : notices
}
