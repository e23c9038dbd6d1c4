import { PlatformError } from '@parley/contracts'
import { fillSecrets } from '../fill-secrets.ts'
import type { SecretOf } from '../tool-policy.ts'

export type FilledHeaders =
  | { readonly kind: 'filled'; readonly headers: Readonly<Record<string, string>> }
  | { readonly kind: 'missing'; readonly why: string }

/** The headers that config gives to a host, with their secrets. */
export function configuredHeaders(
  templates: Readonly<Record<string, string>> | undefined,
  secretOf: SecretOf,
): FilledHeaders {
  try {
    const filled = Object.entries(templates ?? {}).map(
      ([name, value]) => [name, fillSecrets(value, secretOf)] as const,
    )
    const broken = filled.find(([, value]) => !SENDABLE.test(value))
    if (broken) return { kind: 'missing', why: `The header ${broken[0]} ${NOT_SENDABLE}` }
    return { kind: 'filled', headers: Object.fromEntries(filled) }
  } catch (failure) {
    if (!(failure instanceof PlatformError)) throw failure
    return { kind: 'missing', why: [failure.detail.message, failure.detail['mend']].join(' ') }
  }
}

const SENDABLE = /^[\x20-\x7e\xa0-\xff]*$/
const NOT_SENDABLE =
  'would hold a character that no header may hold, such as the end of a line. Set its secret again: parley keys set NAME'
