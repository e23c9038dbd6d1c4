import { SessionEvent } from '@parley/contracts'

/** What `--json` printed, one event a line. */
export const eventsOf = (stdout: string): readonly SessionEvent[] =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => SessionEvent.parse(JSON.parse(line)))
