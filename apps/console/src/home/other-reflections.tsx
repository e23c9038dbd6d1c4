import type { Reflection } from '@parley/contracts'
import { Link } from '@tanstack/react-router'

const MOST_SHOWN = 4

export function OtherReflections({ reflections }: { reflections: readonly Reflection[] }) {
  if (reflections.length === 0) return null
  return (
    <section aria-labelledby="others-title" className="flex flex-col gap-2">
      <h2 id="others-title" className="font-serif text-lg">
        Others to talk with
      </h2>
      <ul className="divide-line border-line divide-y border-y">
        {reflections.slice(0, MOST_SHOWN).map(({ id, displayName }) => (
          <li key={id} className="flex items-baseline gap-4 py-2 text-sm">
            <Link
              to="/reflections/$reflectionId"
              params={{ reflectionId: id }}
              className="min-w-0 flex-1 truncate hover:underline"
            >
              {displayName}
            </Link>
            <Link
              to="/reflections/$reflectionId/talk"
              params={{ reflectionId: id }}
              aria-label={`Talk with ${displayName}`}
              className="text-accent py-1 underline"
            >
              Talk
            </Link>
          </li>
        ))}
      </ul>
      {reflections.length > MOST_SHOWN && (
        <Link to="/reflections" className="text-accent text-sm underline">
          All reflections
        </Link>
      )}
    </section>
  )
}
