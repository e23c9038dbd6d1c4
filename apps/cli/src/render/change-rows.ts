import type { Json } from '@parley/contracts'
import { headAndTail, previewRows } from './preview-rows.ts'
import type { ToldCall } from './telling-of.ts'
import type { ScreenLook } from './screen-of.ts'

const MOST_ROWS = 12

/** What a call has changed in a file, in short, for who was not asked about it; none where it is of another tool. */
export function changeRows({ tool, input }: ToldCall, look: ScreenLook): readonly string[] {
  const lines = changeOf(tool, input).map((line) => line.slice(0, look.columns))
  if (lines.length === 0) return []
  // Of a long text no more is laid out than can be shown.
  const shown =
    lines.length <= MOST_ROWS
      ? lines
      : [
          ...lines.slice(0, HEAD),
          `… ${lines.length - HEAD - TAIL} lines are left out here`,
          ...lines.slice(-TAIL),
        ]
  const columns = look.columns - INDENT.length
  const rows = previewRows({ kind: 'diff', text: shown.join('\n') }, { ...look, columns })
  return headAndTail(rows, MOST_ROWS, look).map((row) => INDENT + row)
}

const INDENT = '  '
const HEAD = 8
const TAIL = 3

function changeOf(tool: string, input: Json | undefined): readonly string[] {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return []
  if (tool === 'write_file') return marked('+', input['content'])
  if (tool !== 'edit_file') return []
  return [...marked('-', input['old_text']), ...marked('+', input['new_text'])]
}

const marked = (mark: string, text: Json | undefined): readonly string[] =>
  typeof text !== 'string' || text === ''
    ? []
    : text
        .replace(/\n$/, '')
        .split('\n')
        .map((line) => mark + line)
