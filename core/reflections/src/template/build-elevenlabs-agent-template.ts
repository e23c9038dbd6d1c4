import type { PromptPack, VoiceAction } from '@parley/contracts'
import { END_CALL_GUIDANCE, placeholdersIn } from '../packs/build-prompt-pack.ts'
import { ALWAYS } from '../variables/variable-name.ts'
import { AgentTemplate } from './agent-template.ts'

/** What an agent is made from: a promoted pack, or one that is nobody's. */
export type TemplatePack = Pick<PromptPack, 'prompt' | 'firstMessage' | 'placeholders' | 'tools'>

export interface TemplateSetUp {
  readonly name: string
  readonly voiceId: string
  /** Of all server tools; the agent gets those that its pack names. */
  readonly toolIds: ToolIds
  /** The webhook for its ended conversations. */
  readonly webhookId: string | null
}

export type ToolIds = Readonly<Record<VoiceAction, string>>

/** The agent of a pack. What is not said here is as every agent has it: model, temperature, tokens, no overrides. */
export function buildElevenLabsAgentTemplate(pack: TemplatePack, setUp: TemplateSetUp): AgentTemplate {
  const { prompt, firstMessage } = pack
  const used = [...ALWAYS, ...pack.placeholders, ...placeholdersIn(prompt + firstMessage)]
  return AgentTemplate.parse({
    name: setUp.name,
    prompt,
    firstMessage,
    keywords: namesIn(prompt),
    voiceId: setUp.voiceId,
    toolIds: pack.tools.map((action) => setUp.toolIds[action]),
    endCall: { guidance: `${END_CALL_GUIDANCE}. Say one closing sentence first.` },
    placeholders: Object.fromEntries(used.map((name) => [name, NOT_GIVEN])),
    postCallWebhookId: setUp.webhookId,
  })
}

const MOST_KEYWORDS = 60

/** Names in the dossier's lines of a prompt: words with a capital, but for a single one that opens a sentence. */
function namesIn(prompt: string): string[] {
  const lines = prompt.split('\n').filter((line) => line.startsWith('- '))
  const names = lines.flatMap((line) => {
    const words = line.slice(2).split(/\s+/u)
    const isName = (at: number) => NAME.test(words[at] ?? '')
    const opensSentence = (at: number) => at === 0 || /[.!?:]$/u.test(words[at - 1] ?? '')
    return words
      .filter((_, at) => isName(at) && (!opensSentence(at) || isName(at + 1)))
      .flatMap((word) => NAME.exec(word)?.[1] ?? [])
  })
  return [...new Set(names)].slice(0, MOST_KEYWORDS)
}

const NAME = /^["'“‘(]*(\p{Lu}\p{L}[\p{L}-]+)/u

/** Reads well in a sentence, and signs, allows and names nothing. */
const NOT_GIVEN = 'none'
