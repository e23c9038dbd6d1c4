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
  /** Where its conversations are told of once they are over. */
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
    voiceId: setUp.voiceId,
    toolIds: pack.tools.map((action) => setUp.toolIds[action]),
    endCall: { guidance: `${END_CALL_GUIDANCE}. Say one closing sentence first.` },
    placeholders: Object.fromEntries(used.map((name) => [name, NOT_GIVEN])),
    postCallWebhookId: setUp.webhookId,
  })
}

/** Reads well in a sentence, and signs, allows and names nothing. */
const NOT_GIVEN = 'none'
