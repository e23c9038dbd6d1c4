import { type ErrorCode, type ErrorDetail, PlatformError } from '@parley/contracts'
import { getErrorMessage } from '../ui/error-message.ts'

/** Why a conversation cannot start or continue. */
export type TalkProblem =
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

/** Maps a failure to the problem shown to the person. */
export function toTalkProblem(failure: unknown): TalkProblem {
  if (!(failure instanceof PlatformError)) return { kind: 'other', message: getErrorMessage(failure) }
  const toProblem = BY_CODE[failure.code] ?? ((message) => ({ kind: 'other', message }))
  return toProblem(failure.message, failure.detail)
}

/** Whether it can resolve without action. */
export const isTemporaryProblem = ({ kind }: TalkProblem): boolean =>
  kind === 'unreachable' || kind === 'rate-limited'

type ToProblem = (message: string, detail: ErrorDetail) => TalkProblem

const TO_GONE: ToProblem = () => ({ kind: 'gone' })
const TO_UNAVAILABLE: ToProblem = () => ({ kind: 'provider-unavailable' })

const BY_CODE: Partial<Record<ErrorCode, ToProblem>> = {
  public_runtime_stale: (_, { differs }) => ({ kind: 'public-stale', differs: toTexts(differs) }),
  public_runtime_not_ready: (_, { missing }) => ({ kind: 'public-not-ready', missing: toTexts(missing) }),
  reflection_not_ready: (_, { missing }) => ({ kind: 'not-ready', missing: toTexts(missing) }),
  voice_clone_required: (_, { missing }) => ({ kind: 'voice-missing', missing: toTexts(missing) }),
  share_link_invalid: () => ({ kind: 'link-invalid' }),
  session_ended: (message) => ({ kind: 'ended', message }),
  session_not_found: TO_GONE,
  unauthenticated: TO_GONE,
  rate_limited: (message, { retryAfterSeconds }) => ({
    kind: 'rate-limited',
    message,
    seconds: toSeconds(retryAfterSeconds),
  }),
  provider_unavailable: TO_UNAVAILABLE,
  provider_auth: TO_UNAVAILABLE,
  provider_rate_limit: TO_UNAVAILABLE,
  run_timeout: TO_UNAVAILABLE,
  server_unreachable: () => ({ kind: 'unreachable' }),
}

const toTexts = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []

const toSeconds = (value: unknown): number => (typeof value === 'number' && value > 0 ? value : 1)
