/** When a piece of a chart began; with its day where the chart spans more than one. */
export function timeOfPiece(seconds: number | undefined, times: readonly number[]): string {
  if (seconds === undefined) return ''
  const at = new Date(seconds * 1_000)
  const spans = ((times.at(-1) ?? 0) - (times[0] ?? 0)) * 1_000
  return spans < DAY_MS / 2
    ? at.toLocaleTimeString(undefined, { timeStyle: 'short' })
    : at.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' })
}

const DAY_MS = 86_400_000
