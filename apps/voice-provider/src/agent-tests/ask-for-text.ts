import type { ModelPort } from '@parley/engine'

export type Asked =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'failed'; readonly why: string }

const MOST_TOKENS = 1_024

/** One question to a model outside any conversation. */
export async function askForText(
  model: ModelPort,
  { system, question }: { readonly system: string; readonly question: string },
  signal: AbortSignal,
): Promise<Asked> {
  const request = {
    system,
    messages: [{ role: 'user' as const, content: [{ type: 'text' as const, text: question }] }],
    tools: [],
    maxTokens: MOST_TOKENS,
    temperature: 0,
  }
  let text = ''
  for await (const event of model.stream(request, signal)) {
    if (event.type === 'text') text += event.text
    if (event.type === 'failure') return { kind: 'failed', why: event.error.message }
  }
  if (signal.aborted) return { kind: 'failed', why: 'The test was called off, or took too long.' }
  return { kind: 'text', text: text.trim() }
}
