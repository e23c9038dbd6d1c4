import type { ModelPort, ModelRequest } from '../ports/model.ts'

/** Parses an answer with one JSON object per line; other lines are skipped. */
export async function requestJsonLines(
  model: ModelPort,
  request: ModelRequest,
  signal: AbortSignal,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  let answer = ''
  for await (const event of model.stream(request, signal)) {
    if (event.type === 'text') answer += event.text
    else if (event.type === 'failure') throw new Error(event.error.message)
  }
  return answer
    .split('\n')
    .slice(0, MAX_LINES)
    .flatMap((line) => parseObject(line.trim()))
}

const MAX_LINES = 200

function parseObject(line: string): readonly Readonly<Record<string, unknown>>[] {
  if (!line.startsWith('{')) return []
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? [{ ...value }] : []
  } catch {
    return []
  }
}
