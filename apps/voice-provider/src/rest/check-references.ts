import type { ProviderStore } from '@parley/postgres'
import { z } from 'zod'
import { Refusal } from './refusal.ts'
import { type Flaw, Unprocessable } from './unprocessable.ts'

/** What a configuration names has to be there: tools of this workspace, and an address that can be one. */
export async function checkReferences(
  config: unknown,
  documents: Pick<ProviderStore['documents'], 'get'>,
): Promise<void> {
  const prompt = Referring.safeParse(config).data?.agent?.prompt
  if (!prompt) return
  const flaws = [...addressFlaws(prompt.custom_llm?.url), ...knowledgeFlaws(prompt.knowledge_base ?? [])]
  if (flaws.length > 0) throw new Unprocessable(flaws)
  const ids = prompt.tool_ids ?? []
  const found = await Promise.all(ids.map((id) => documents.get('tool', id)))
  const missing = ids.find((_, index) => !found[index])
  if (missing !== undefined)
    throw new Refusal(
      'tool_not_found',
      `There is no tool with the id ${missing}. Create it first, or take it out of tool_ids.`,
      'tool_ids',
    )
}

/** Only where it is well formed: what is not is refused by the whole schema. */
const Referring = z.object({
  agent: z
    .object({
      prompt: z
        .object({
          tool_ids: z.array(z.string()).nullish(),
          knowledge_base: z.array(z.unknown()).nullish(),
          custom_llm: z.object({ url: z.string().optional() }).nullish(),
        })
        .nullish(),
    })
    .nullish(),
})

const PROMPT = ['body', 'conversation_config', 'agent', 'prompt']

function addressFlaws(url: string | undefined): readonly Flaw[] {
  if (url === undefined || /^https?:$/.test(URL.parse(url)?.protocol ?? '')) return []
  const msg = 'Value error, the custom LLM needs a whole address that begins with http:// or https://'
  return [{ type: 'value_error', loc: [...PROMPT, 'custom_llm', 'url'], msg, input: url }]
}

const knowledgeFlaws = (knowledge: readonly unknown[]): readonly Flaw[] =>
  knowledge.map((input, index) => ({
    type: 'value_error',
    loc: [...PROMPT, 'knowledge_base', index],
    msg: 'Value error, there is no such document: knowledge bases are not offered here',
    input,
  }))
