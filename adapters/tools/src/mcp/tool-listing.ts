import type { ListedTool, ListedTools } from './list-tools.ts'

/** What the model is told of a server's tools. */
export function toolListing({ tools, leftOut }: ListedTools): string {
  const lines: string[] = []
  let room = MOST_TEXT
  const unshown: string[] = []
  for (const tool of tools) {
    const text = described(tool)
    if (text.length > room) {
      unshown.push(tool.name)
      continue
    }
    room -= text.length
    lines.push(text)
  }
  if (tools.length === 0) lines.push('It has no tools that may be called.')
  if (unshown.length > 0)
    lines.push(
      `[${unshown.length} more are not shown, for want of room: ${unshown.slice(0, MOST_NAMES).join(', ')}]`,
    )
  if (leftOut > 0)
    lines.push('[Some tools are left out: too many, too large, or with a name that cannot be used.]')
  return lines.join('\n\n')
}

const MOST_TEXT = 40_000
const MOST_NAMES = 50
const LONGEST_DESCRIPTION = 2_000

function described({ name, description = '', inputSchema }: ListedTool): string {
  const short =
    description.length > LONGEST_DESCRIPTION ? `${description.slice(0, LONGEST_DESCRIPTION)} …` : description
  return [`## ${name}`, short, `arguments: ${JSON.stringify(inputSchema)}`].filter(Boolean).join('\n')
}
