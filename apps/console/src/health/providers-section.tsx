import type { ProviderHealth } from '@parley/contracts'
import { timeAgo } from '../shell/time-ago.ts'
import { Button } from '../ui/button.tsx'
import { messageOf } from '../ui/message-of.ts'
import { Notice } from '../ui/notice.tsx'
import { Part } from './part.tsx'
import { useProbe } from './use-health.ts'

export function ProvidersSection({ providers, now }: { providers: readonly ProviderHealth[]; now: number }) {
  return (
    <Part id="providers" title="Providers">
      <p className="text-soft max-w-prose text-sm leading-6">
        How each answered last, whoever asked. Opening this page asks nobody; a check is a call that costs
        nothing.
      </p>
      <ul className="divide-line border-line divide-y border-y">
        {providers.map((provider) => (
          <ProviderRow key={provider.name} provider={provider} now={now} />
        ))}
      </ul>
    </Part>
  )
}

const LOOKS: Record<ProviderHealth['state'], string> = {
  working: 'bg-accent',
  failing: 'bg-alarm',
  untried: 'border border-edge',
  not_set_up: 'border border-edge',
}

function ProviderRow({ provider, now }: { provider: ProviderHealth; now: number }) {
  const { name, state, code, problem, coolsUntil } = provider
  const probe = useProbe(name)
  return (
    <li data-provider={name} data-state={state} className="flex flex-col gap-1 py-3 text-sm leading-6">
      <div className="flex items-center gap-3">
        <span aria-hidden="true" className={`size-2 shrink-0 rounded-full ${LOOKS[state]}`} />
        <p className="min-w-0 flex-1 wrap-anywhere">
          <span className="font-medium">{name}</span>{' '}
          <span className="text-soft">{providerInWords(provider, now)}</span>
        </p>
        {state !== 'not_set_up' && (
          <Button
            aria-label={`Check ${name}`}
            aria-disabled={probe.isPending}
            onClick={() => probe.isPending || probe.mutate()}
          >
            {probe.isPending ? 'Checking…' : 'Check'}
          </Button>
        )}
      </div>
      {problem && state !== 'working' && (
        <p className={`ps-5 wrap-anywhere ${state === 'failing' ? 'text-alarm' : 'text-soft'}`}>
          {problem} {code && state === 'failing' && <span className="font-mono text-xs">{code}</span>}
        </p>
      )}
      {coolsUntil && (
        <p className="text-soft ps-5">
          It is left alone for {Math.max(1, Math.ceil((Date.parse(coolsUntil) - now) / 1_000))} s more.
        </p>
      )}
      {problem && state === 'working' && provider.failedAt && (
        <p className="text-soft ps-5 wrap-anywhere">
          Last failure {timeAgo(provider.failedAt, now)} ago: {problem}
        </p>
      )}
      <p role="status" className="sr-only">
        {probe.data && `${name}: ${providerInWords(probe.data, now)}`}
      </p>
      {probe.error && <Notice>{messageOf(probe.error)}</Notice>}
    </li>
  )
}

/** How a provider stands, in a line. */
export function providerInWords({ state, workedAt, failingSince }: ProviderHealth, now: number): string {
  switch (state) {
    case 'working':
      return workedAt ? `answers, last ${ago(workedAt, now)}` : 'answers, it is a part of Parley'
    case 'failing':
      return failingSince ? `does not answer, since ${since(failingSince, now)}` : 'does not answer'
    case 'untried':
      return 'was not asked yet'
    case 'not_set_up':
      return 'is not set up'
    default:
      return state satisfies never
  }
}

const ago = (at: string, now: number) => {
  const words = timeAgo(at, now)
  return words === 'now' ? 'just now' : isDate(words) ? `on ${words}` : `${words} ago`
}

const since = (at: string, now: number) => {
  const words = timeAgo(at, now)
  return words === 'now' ? 'a moment ago' : isDate(words) ? words : `${words} ago`
}

const isDate = (words: string) => !/^\d+ (min|h|d)$/.test(words)
