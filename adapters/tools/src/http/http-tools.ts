import type { AnyTool } from '@parley/engine'
import type { SecretOf, ToolPolicy } from '../tool-policy.ts'
import type { DialOptions } from './dial.ts'
import type { HttpLimits } from './http-limits.ts'
import { httpRequest } from './http-request.ts'
import { webSearch } from './web-search.ts'

export interface HttpToolsOptions extends DialOptions {
  readonly policy: Pick<ToolPolicy, 'allowedDomains' | 'httpHeaders' | 'webSearch'>
  readonly secretOf: SecretOf
  readonly limits?: Partial<HttpLimits>
}

/** The tools that reach the web, as far as config lets them. */
export function httpTools({ policy, ...options }: HttpToolsOptions): readonly AnyTool[] {
  return [
    ...(policy.allowedDomains.length > 0 ? [httpRequest({ policy, ...options })] : []),
    ...(policy.webSearch ? [webSearch({ config: policy.webSearch, ...options })] : []),
  ]
}
