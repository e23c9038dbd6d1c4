import { describe, expect, test } from 'vitest'
import type { ToolPolicy } from '../tool-policy.ts'
import { httpTools } from './http-tools.ts'

const search = { kind: 'brave', url: 'https://search.test/', isOwn: true } as const

describe('the tools that reach the web', () => {
  test.each<[string, Partial<ToolPolicy>, readonly string[]]>([
    ['nothing, there are none', {}, []],
    ['a host, it may be asked', { allowedDomains: ['allowed.test'] }, ['http_request']],
    ['a search service, it may be asked', { webSearch: search }, ['web_search']],
    [
      'both, there are both',
      { allowedDomains: ['allowed.test'], webSearch: search },
      ['http_request', 'web_search'],
    ],
  ])('[S13] where config allows %s', (_, given, names) => {
    const policy = { allowedDomains: [], httpHeaders: {}, ...given }
    expect(httpTools({ policy, secretOf: () => undefined }).map(({ name }) => name)).toEqual(names)
  })
})
