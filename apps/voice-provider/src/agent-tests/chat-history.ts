import type { CallId, Json } from '@parley/contracts'
import type { LlmMessage } from '@parley/engine'
import { z } from 'zod'

const Entry = z.looseObject({
  role: z.enum(['user', 'agent']),
  message: z.string().nullish(),
  tool_calls: z
    .array(z.looseObject({ request_id: z.string(), tool_name: z.string(), params_as_json: z.string() }))
    .nullish()
    .catch(null),
  tool_results: z
    .array(
      z.looseObject({
        request_id: z.string(),
        result_value: z.string(),
        is_error: z.boolean().default(false),
      }),
    )
    .nullish()
    .catch(null),
})

/** What was said before a test, as a model is given it. Calls stand there with their results, or not at all. */
export const chatHistory = (entries: readonly unknown[]): readonly LlmMessage[] =>
  entries.flatMap((entry) => messagesOf(Entry.parse(entry)))

function messagesOf({
  role,
  message,
  tool_calls,
  tool_results,
}: z.infer<typeof Entry>): readonly LlmMessage[] {
  const text = message ? [{ type: 'text' as const, text: message }] : []
  if (role === 'user') return text.length > 0 ? [{ role, content: text }] : []
  const results = new Map((tool_results ?? []).map((result) => [result.request_id, result]))
  const calls = (tool_calls ?? []).filter(({ request_id }) => results.has(request_id))
  const content = [
    ...text,
    ...calls.map(({ request_id, tool_name, params_as_json }) => ({
      type: 'tool_call' as const,
      call: { id: request_id as CallId, name: tool_name, input: parsed(params_as_json) },
    })),
  ]
  const answers = calls.flatMap(({ request_id }) => {
    const result = results.get(request_id)
    return result
      ? [{ type: 'tool_result' as const, callId: request_id as CallId, outcome: outcomeOf(result) }]
      : []
  })
  return [
    ...(content.length > 0 ? [{ role: 'assistant' as const, content }] : []),
    ...(answers.length > 0 ? [{ role: 'tool' as const, content: answers }] : []),
  ]
}

const outcomeOf = ({ result_value: text, is_error }: { result_value: string; is_error: boolean }) =>
  is_error ? { kind: 'failed' as const, code: 'tool_failed', text } : { kind: 'ok' as const, text }

function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch {
    return {}
  }
}
