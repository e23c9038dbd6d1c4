import { type Agent, type PromptPack, readMarkedPrompt, writeMarkedPrompt } from '@parley/contracts'

/** The model of an agent and its fallbacks. */
type AgentModel = Pick<Agent, 'provider' | 'model' | 'fallback_chain'>

/** A pack as the agent of one session, in the form that the session freezes. */
export function buildSessionAgent(
  pack: Pick<PromptPack, 'prompt' | 'tools'>,
  variables: Readonly<Record<string, string>>,
  { provider, model, fallback_chain }: AgentModel,
): Agent {
  const name = variables['reflection_display_name']?.trim().slice(0, MAX_NAME_LENGTH).toWellFormed()
  return {
    id: toSlug(variables['reflection_id'] ?? ''),
    ...(name && { name }),
    provider,
    model,
    ...(fallback_chain && { fallback_chain }),
    // Only a provider's calls need the signature, and a stored agent can be exported.
    system_prompt: `${fillPrompt(pack.prompt, { ...variables, conversation_bind_sig: '' })}\n\n${TYPED_NOTE}`,
    tools: [...pack.tools],
  }
}

/** The first message of the agent, with the same values. */
export const fillFirstMessage = (
  { firstMessage }: Pick<PromptPack, 'firstMessage'>,
  variables: Readonly<Record<string, string>>,
): string => fillPrompt(firstMessage, variables)

const TYPED_NOTE =
  'This is a typed conversation: what you say is read. There is no call to end; a closing sentence is enough.'

const MAX_NAME_LENGTH = 200

const toSlug = (reflectionId: string): string =>
  reflectionId
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 64) || 'reflection'

/**
 * Replaces each `{{name}}` by its value, or by nothing. Values are plain text: they open no placeholder and cannot contain
 * the mark that ends the policy.
 */
function fillPrompt(prompt: string, variables: Readonly<Record<string, string>>): string {
  const fill = (text: string, adapt = (value: string) => value) =>
    text.replace(PLACEHOLDER, (_, name: string) =>
      Object.hasOwn(variables, name) ? adapt(variables[name] ?? '') : '',
    )
  const marked = readMarkedPrompt(prompt)
  const filled = marked
    ? writeMarkedPrompt({
        mark: marked.mark,
        policy: fill(marked.policy, (value) => removeMark(toOneLine(value), marked.mark)),
        body: removeMark(fill(marked.body), marked.mark),
      })
    : fill(prompt)
  return filled.replace(/\{(?=\{)/g, '{ ').toWellFormed()
}

const PLACEHOLDER = /\{\{([a-z_]+)\}\}/g

const toOneLine = (value: string): string => value.replace(/[\p{Cc}\p{Zl}\p{Zp}[\]]+/gu, ' ')

/** The mark is a hash of the pack's own text, so only a value can contain it. */
const removeMark = (text: string, mark: string): string => text.replace(new RegExp(mark, 'gi'), '…')
