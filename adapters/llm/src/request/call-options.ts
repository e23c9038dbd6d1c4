import type { JSONObject, LanguageModelV4CallOptions, LanguageModelV4FunctionTool } from '@ai-sdk/provider'
import type { ModelRequest, ToolDeclaration } from '@parley/engine'
import type { Target, Vendor } from '../vendors/vendor.ts'
import { promptOf } from './prompt-of.ts'

/** A request as the vendor's library takes it. */
export async function callOptions(
  request: ModelRequest,
  target: Target,
): Promise<LanguageModelV4CallOptions> {
  const { vendor } = target
  const prompt = await promptOf(request, target)
  const effort = mayThink(prompt, vendor) ? request.reasoningEffort : undefined
  return {
    prompt,
    maxOutputTokens: request.maxTokens,
    providerOptions: { ...vendor.options, ...(effort && vendor.thinkingOptions) },
    ...(request.temperature !== undefined && { temperature: request.temperature }),
    ...(effort && { reasoning: effort }),
    ...(request.tools.length > 0 && { tools: request.tools.map(toolOf) }),
    ...(mayFormat(request) && {
      responseFormat: { type: 'json' as const, schema: request.outputSchema as ToolSchema },
    }),
  }
}

type ToolSchema = LanguageModelV4FunctionTool['inputSchema']

/** Not beside tools: some vendors refuse both at once. And only for objects, which is what all vendors can be held to. */
const mayFormat = ({ outputSchema, tools }: ModelRequest): boolean =>
  outputSchema?.['type'] === 'object' && tools.length === 0

const toolOf = ({ name, description, inputSchema }: ToolDeclaration) => ({
  type: 'function' as const,
  name,
  description,
  inputSchema: inputSchema as JSONObject,
})

/** False where the last calls are another model's, whose reasoning this vendor does not take and yet asks for. */
function mayThink(prompt: LanguageModelV4CallOptions['prompt'], { thinksBeforeCalls }: Vendor): boolean {
  if (!thinksBeforeCalls || prompt.at(-1)?.role !== 'tool') return true
  const asked = prompt.findLast(({ role }) => role === 'assistant')
  return asked?.role === 'assistant' && asked.content.some(({ type }) => type === 'reasoning')
}
