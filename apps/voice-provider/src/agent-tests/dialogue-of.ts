import type { TranscriptEntry } from '../conversation/conversation-record.ts'

type Spoken = Pick<TranscriptEntry, 'role'> & {
  readonly message?: string | null | undefined
  readonly tool_calls?: TranscriptEntry['tool_calls']
  readonly tool_results?: TranscriptEntry['tool_results']
}

/** What was said and done, as somebody reads it who was not there. */
export const dialogueOf = (entries: readonly Spoken[]): string => entries.flatMap(linesOf).join('\n')

const linesOf = ({ role, message, tool_calls = [], tool_results = [] }: Spoken): readonly string[] => [
  ...(message ? [`${role}: ${message}`] : []),
  ...tool_calls.map(({ tool_name, params_as_json }) => `${role} calls ${tool_name} with ${params_as_json}`),
  ...tool_results.map(({ tool_name, result_value }) => `${tool_name} answers: ${result_value}`),
]
