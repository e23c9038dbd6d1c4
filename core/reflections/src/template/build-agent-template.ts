import type { PromptPack, AgentAction } from '@parley/contracts'
import { END_CALL_GUIDANCE, findPlaceholders } from '../packs/build-prompt-pack.ts'
import { FIXED_VARIABLES } from '../variables/variable-matrix.ts'
import { AgentTemplate } from './agent-template.ts'

/** The pack of an agent: promoted or shared. */
export type TemplatePack = Pick<PromptPack, 'prompt' | 'firstMessage' | 'placeholders' | 'tools'>

interface TemplateSetUp {
  readonly name: string
  readonly voiceId: string
  /** The ids of all server tools; the agent gets those that its pack names. */
  readonly toolIds: ToolIds
  /** The webhook for its ended conversations. */
  readonly webhookId: string | null
}

export type ToolIds = Readonly<Record<AgentAction, string>>

/** The agent of a pack. Model, temperature and tokens are the same for every agent; overrides are off. */
export function buildAgentTemplate(pack: TemplatePack, setUp: TemplateSetUp): AgentTemplate {
  const { prompt, firstMessage } = pack
  const used = [...FIXED_VARIABLES, ...pack.placeholders, ...findPlaceholders(prompt + firstMessage)]
  return AgentTemplate.parse({
    name: setUp.name,
    prompt,
    firstMessage,
    keywords: findNames(prompt),
    voiceId: setUp.voiceId,
    toolIds: pack.tools.map((action) => setUp.toolIds[action]),
    endCall: { guidance: `${END_CALL_GUIDANCE}. Say one closing sentence first.` },
    placeholders: Object.fromEntries(used.map((name) => [name, PLACEHOLDER_VALUE])),
    postCallWebhookId: setUp.webhookId,
  })
}

const MAX_KEYWORDS = 60

/** Finds names in the dossier's lines: capitalised words, except a single one at the start of a sentence. */
function findNames(prompt: string): string[] {
  const lines = prompt.split('\n').filter((line) => line.startsWith('- '))
  const names = lines.flatMap((line) => {
    const words = line.slice(2).split(/\s+/u)
    const isName = (at: number) => NAME.test(words[at] ?? '')
    const opensSentence = (at: number) => at === 0 || /[.!?:]$/u.test(words[at - 1] ?? '')
    return words
      .filter((_, at) => isName(at) && (!opensSentence(at) || isName(at + 1)))
      .flatMap((word) => NAME.exec(word)?.[1] ?? [])
  })
  return [...new Set(names)].slice(0, MAX_KEYWORDS)
}

const NAME = /^["'“‘(]*(\p{Lu}\p{L}[\p{L}-]+)/u

/** Fits in a sentence, and is not a valid signature, action or name. */
const PLACEHOLDER_VALUE = 'none'
