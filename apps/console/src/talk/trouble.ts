import { type ErrorCode, type ErrorDetail, PlatformError } from '@parley/contracts'

/** Why a talk does not begin, or goes on no more. */
export type Trouble =
  | {
      readonly kind: 'microphone-denied' | 'microphone-missing' | 'microphone-busy' | 'microphone-unreachable'
    }
  | { readonly kind: 'public-stale'; readonly differs: readonly string[] }
  | { readonly kind: 'public-not-ready'; readonly missing: readonly string[] }
  | { readonly kind: 'not-ready'; readonly missing: readonly string[] }
  | { readonly kind: 'voice-missing'; readonly missing: readonly string[] }
  | { readonly kind: 'link-invalid' | 'nothing-public' | 'gone' | 'provider-unavailable' | 'unreachable' }
  | { readonly kind: 'ended'; readonly message: string }
  | { readonly kind: 'rate-limited'; readonly message: string; readonly seconds: number }
  | { readonly kind: 'other'; readonly message: string }

/** What a failure of the server, of the line or of the page means for who wants to talk. */
export function troubleOf(failure: unknown): Trouble {
  if (!(failure instanceof PlatformError)) {
    return { kind: 'other', message: failure instanceof Error ? failure.message : 'Something went wrong.' }
  }
  const meaning = MEANINGS[failure.code] ?? ((message) => ({ kind: 'other', message }))
  return meaning(failure.message, failure.detail)
}

/** Whether it is over by itself after a while. */
export const isPassing = ({ kind }: Trouble): boolean => kind === 'unreachable' || kind === 'rate-limited'

type Meaning = (message: string, detail: ErrorDetail) => Trouble

const IS_GONE: Meaning = () => ({ kind: 'gone' })
const IS_SILENT: Meaning = () => ({ kind: 'provider-unavailable' })

const MEANINGS: Partial<Record<ErrorCode, Meaning>> = {
  public_runtime_stale: (_, { differs }) => ({ kind: 'public-stale', differs: textsOf(differs) }),
  public_runtime_not_ready: (_, { missing }) => ({ kind: 'public-not-ready', missing: textsOf(missing) }),
  reflection_not_ready: (_, { missing }) => ({ kind: 'not-ready', missing: textsOf(missing) }),
  voice_clone_required: (_, { missing }) => ({ kind: 'voice-missing', missing: textsOf(missing) }),
  share_link_invalid: () => ({ kind: 'link-invalid' }),
  session_ended: (message) => ({ kind: 'ended', message }),
  session_not_found: IS_GONE,
  unauthenticated: IS_GONE,
  rate_limited: (message, { retryAfterSeconds }) => ({
    kind: 'rate-limited',
    message,
    seconds: secondsOf(retryAfterSeconds),
  }),
  provider_unavailable: IS_SILENT,
  provider_auth: IS_SILENT,
  provider_rate_limit: IS_SILENT,
  run_timeout: IS_SILENT,
  server_unreachable: () => ({ kind: 'unreachable' }),
}

const textsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []

const secondsOf = (value: unknown): number => (typeof value === 'number' && value > 0 ? value : 1)
