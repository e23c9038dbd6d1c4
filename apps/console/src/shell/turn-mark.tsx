import type { OpenTurn } from '@parley/contracts'

const MARKS: Record<OpenTurn['state'], { readonly says: string; readonly look: string }> = {
  running: { says: 'running', look: 'bg-accent animate-breathe' },
  waiting: { says: 'waits for you', look: 'bg-accent outline-accent outline outline-offset-2' },
  interrupted: { says: 'interrupted', look: 'bg-alarm' },
}

/** How a session's open turn stands, as a dot. */
export function TurnMark({ state }: { state: OpenTurn['state'] }) {
  const { says, look } = MARKS[state]
  return (
    <span title={says} className={`mx-0.5 size-1.5 shrink-0 self-center rounded-full ${look}`}>
      <span className="sr-only">{says}</span>
    </span>
  )
}
