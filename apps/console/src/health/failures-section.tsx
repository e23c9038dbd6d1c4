import { ERROR_TITLE, ErrorCode, type HealthFailure } from '@parley/contracts'
import { Link } from '@tanstack/react-router'
import { timeAgo } from '../shell/time-ago.ts'
import { timeInWords } from '../ui/time-in-words.ts'
import { Part } from './part.tsx'

export function FailuresSection({ failures, now }: { failures: readonly HealthFailure[]; now: number }) {
  return (
    <Part id="failures" title="Failed turns and starts">
      {failures.length === 0 ? (
        <p className="text-soft text-sm">
          None in this time. A turn that fails, or a session that does not start, is listed here with its code
          and the way to it.
        </p>
      ) : (
        <ul className="divide-line border-line divide-y border-y">
          {failures.map((failure, index) => (
            <FailureRow key={`${failure.at} ${index}`} failure={failure} now={now} />
          ))}
        </ul>
      )}
    </Part>
  )
}

function FailureRow({ failure, now }: { failure: HealthFailure; now: number }) {
  const { kind, at, code, sessionId, reflection } = failure
  const known = ErrorCode.safeParse(code)
  return (
    <li className="flex flex-wrap items-baseline gap-x-4 py-2 text-sm leading-6">
      <span className="min-w-0 flex-1 wrap-anywhere">
        {kind === 'turn' ? 'A turn' : 'A start'}: {known.success ? ERROR_TITLE[known.data] : code}{' '}
        <span className="text-soft font-mono text-xs">{code}</span>
      </span>
      {reflection && (
        <Link
          to="/reflections/$reflectionId"
          params={{ reflectionId: reflection.reflectionId }}
          className="text-accent underline"
        >
          {reflection.displayName}
        </Link>
      )}
      {sessionId && (
        <Link to="/sessions/$sessionId" params={{ sessionId }} className="text-accent underline">
          Open the session
        </Link>
      )}
      {!sessionId && !reflection && <span className="text-soft">not yours to see</span>}
      <time dateTime={at} title={timeInWords(at)} className="text-soft text-xs">
        {timeAgo(at, now)}
      </time>
    </li>
  )
}
