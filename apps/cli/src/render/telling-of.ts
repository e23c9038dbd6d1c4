import type { Json } from '@parley/contracts'

export interface ToldCall {
  readonly tool: string
  /** What it reaches, where that was found out; else what it was given says it. */
  readonly target?: string | undefined
  readonly input?: Json | undefined
}

/** What says most of a call: what it reaches, or what it is given, where that says more. */
export const tellingOf = ({ tool, target, input }: ToldCall): string =>
  OF_INPUT.get(tool)?.(textsIn(input)) ?? target ?? inShort(input)

type Texts = Readonly<Record<string, string | undefined>>

const OF_INPUT: ReadonlyMap<string, (given: Texts) => string | undefined> = new Map([
  ['search_files', ({ pattern }: Texts) => pattern],
  ['web_search', ({ query }: Texts) => query],
  ['http_request', ({ method = 'GET', url }: Texts) => url && `${method} ${url}`],
  ['mcp_call', ({ server, tool }: Texts) => server && [server, tool].filter(Boolean).join('/')],
  ['git_status', ({ show = '' }: Texts) => show],
  ['git_commit', ({ message }: Texts) => message?.split('\n')[0]],
])

function textsIn(input: Json | undefined): Texts {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return {}
  return Object.fromEntries(
    Object.entries(input).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  )
}

/** The one thing among what a tool was given that says most. */
function inShort(input: Json | undefined): string {
  if (input === undefined) return ''
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return JSON.stringify(input)
  const given = textsIn(input)
  const telling = TELLING.map((name) => given[name]).find((value) => value !== undefined)
  if (telling !== undefined) return telling
  return Object.keys(input).length === 0 ? '' : JSON.stringify(input)
}

const TELLING = ['command', 'url', 'query', 'pattern', 'path', 'message', 'server', 'show']
