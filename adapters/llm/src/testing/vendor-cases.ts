import type { ProviderKind } from '@parley/contracts'

/** What the suites expect of a kind of provider. Its recorded streams are in `fixtures/KIND/`. */
export interface VendorCase {
  /** A model; one that can think if the vendor has any. */
  readonly model: string
  /** How the body of a request says it. */
  readonly request: {
    /** At most 1,000 tokens. */
    readonly tokenLimit: string
    readonly highEffort: RegExp
    readonly failedCall: string
    readonly outputSchema: RegExp
  }
  /** The ids of the two calls in `calls.sse`. */
  readonly callIds: readonly [string, string]
  /** The tokens written to the cache in `text.sse`, if the vendor reports them. */
  readonly cacheWriteTokens?: number
  /** By recorded stream: the signed part that the vendor must get back. */
  readonly signedParts: Readonly<Record<string, object>>
  /** Streams that this vendor cannot send. */
  readonly impossibleStreams?: readonly ('no-usage' | 'bad-call')[]
  readonly errorBody: (status: number, type: string, message: string) => object
}

const openAiError: VendorCase['errorBody'] = (_, type, message) => ({
  error: { message, type, param: null, code: type },
})

export const VENDOR_CASES: Readonly<Record<ProviderKind, VendorCase>> = {
  anthropic: {
    model: 'claude-sonnet-4-5',
    request: {
      tokenLimit: '"max_tokens":1000',
      highEffort: /"thinking":\{"type":"enabled","budget_tokens":\d+\}/,
      failedCall: '"content":"Error tool_denied: not allowed","is_error":true',
      outputSchema: /"output_config":\{"format":|"name":"json"/,
    },
    callIds: ['toolu_1', 'toolu_2'],
    cacheWriteTokens: 7,
    signedParts: {
      reasoning: {
        type: 'thinking',
        thinking: 'The person greets me.',
        signature: 'c2lnbmVkLWJ5LW1hZGUtdXA=',
      },
      'hidden-reasoning': { type: 'redacted_thinking', data: 'aGlkZGVu' },
    },
    impossibleStreams: ['no-usage'],
    errorBody: (_, type, message) => ({ type: 'error', error: { type, message } }),
  },
  openai: {
    model: 'gpt-5',
    request: {
      tokenLimit: '"max_output_tokens":1000',
      highEffort: /"reasoning":\{"effort":"high"/,
      failedCall: '"output":"{\\"error\\":\\"Error tool_denied: not allowed\\"}"',
      outputSchema: /"text":\{"format":\{"type":"json_schema","strict":false/,
    },
    callIds: ['call_1', 'call_2'],
    signedParts: {
      reasoning: {
        type: 'reasoning',
        id: 'rs_0',
        encrypted_content: 'ZW5jcnlwdGVk',
        summary: [{ type: 'summary_text', text: 'The person greets me.' }],
      },
      'hidden-reasoning': { type: 'reasoning', id: 'rs_0', encrypted_content: 'ZW5jcnlwdGVk', summary: [] },
    },
    errorBody: openAiError,
  },
  google: {
    model: 'gemini-2.5-flash',
    request: {
      tokenLimit: '"maxOutputTokens":1000',
      highEffort: /"thinkingConfig":\{"thinkingBudget":\d+,"includeThoughts":true\}/,
      failedCall: '"response":{"name":"read_file","error":"Error tool_denied: not allowed"}',
      outputSchema: /"responseMimeType":"application\/json"/,
    },
    callIds: ['call_1', 'call_2'],
    signedParts: {
      reasoning: { text: 'The person greets me.', thought: true, thoughtSignature: 'c2lnbmVk' },
      'hidden-reasoning': { text: 'Hello', thoughtSignature: 'aGlkZGVu' },
      calls: {
        functionCall: { id: 'call_1', name: 'read_file', args: { path: 'a.md' } },
        thoughtSignature: 'c2lnbmVk',
      },
    },
    impossibleStreams: ['bad-call'],
    errorBody: (status, type, message) => ({ error: { code: status, message, status: type.toUpperCase() } }),
  },
  'openai-compatible': {
    model: 'llama3.2',
    request: {
      tokenLimit: '"max_tokens":1000',
      highEffort: /"reasoning_effort":"high"/,
      failedCall: '"content":"Error tool_denied: not allowed"',
      outputSchema: /"response_format":\{"type":"json_object"\}/,
    },
    callIds: ['call_1', 'call_2'],
    signedParts: {},
    errorBody: openAiError,
  },
}

export const KINDS = Object.keys(VENDOR_CASES) as ProviderKind[]
