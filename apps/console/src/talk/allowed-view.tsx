import type { SessionView } from '@parley/contracts'
import { allowedInWords } from './allowed-in-words.ts'

/** What a session may use, behind one line. */
export function AllowedView({ session }: { session: SessionView | undefined }) {
  return (
    <details className="text-sm leading-6" onToggle={({ currentTarget }) => showWhole(currentTarget)}>
      <summary className="text-soft hover:text-ink w-fit">What it may use</summary>
      {session?.reflection ? (
        <dl className="mt-2 grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1">
          {allowedInWords(session.reflection, session).map(({ label, text }) => (
            <div key={label} className="contents">
              <dt className="text-soft">{label}</dt>
              <dd className="wrap-anywhere">{text}</dd>
            </div>
          ))}
        </dl>
      ) : (
        <p className="text-soft mt-2">It is told once the conversation is on.</p>
      )}
    </details>
  )
}

/** What unfolds at the bottom of the screen would else be below it. */
function showWhole(details: HTMLDetailsElement) {
  if (details.open) details.scrollIntoView({ block: 'nearest' })
}
