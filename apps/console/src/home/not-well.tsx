import { Link } from '@tanstack/react-router'
import { troublesOf } from '../health/troubles.ts'
import { isUnreachable, useHealth } from '../health/use-health.ts'

/** What who runs the server should look at; that all is well is said too. */
export function NotWell() {
  const { data, dataUpdatedAt, error } = useHealth('1h')
  const troubles = data && !error ? troublesOf(data, dataUpdatedAt) : undefined
  return (
    <section aria-labelledby="health-title" className="flex min-h-16 flex-col gap-2 text-sm leading-6">
      <h2 id="health-title" className="font-serif text-lg">
        Health
      </h2>
      {error && (
        <p className="text-alarm">
          {isUnreachable(error) ? 'The server does not answer.' : 'How the server fares is not known now.'}
        </p>
      )}
      {troubles?.length === 0 && (
        <p>
          All is well.{' '}
          <Link to="/health" className="text-accent underline">
            See how it fares
          </Link>
        </p>
      )}
      {troubles && troubles.length > 0 && (
        <ul>
          {troubles.map(({ words, part }) => (
            <li key={words}>
              <Link to="/health" search={{ range: '1h' }} hash={part} className="text-alarm underline">
                {words}
              </Link>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
