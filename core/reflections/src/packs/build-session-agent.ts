import type { Agent, PromptPack } from '@parley/contracts'

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
  const mark = POLICY_MARK.exec(prompt)?.[1]
  const end = mark === undefined ? '' : `[end of policy ${mark}]`
  const bodyAt = end === '' ? 0 : prompt.indexOf(end) + end.length
  const fill = (text: string, inPlace: (value: string) => string) =>
    text.replace(PLACEHOLDER, (_, name: string) =>
      Object.hasOwn(variables, name) ? inPlace(variables[name] ?? '') : '',
    )
  const policy = fill(prompt.slice(0, bodyAt), (value) => removeMark(toOneLine(value), mark))
  const body = removeMark(
    fill(prompt.slice(bodyAt), (value) => value),
    mark,
  )
  return (policy + body).replace(/\{(?=\{)/g, '{ ').toWellFormed()
}

const PLACEHOLDER = /\{\{([a-z_]+)\}\}/g
const POLICY_MARK = /^\[policy ([0-9a-f]+)\]/

const toOneLine = (value: string): string => value.replace(/[\p{Cc}\p{Zl}\p{Zp}[\]]+/gu, ' ')

/** The mark is a hash of the pack's own text, so only a value can contain it. */
const removeMark = (text: string, mark: string | undefined): string =>
  mark === undefined ? text : text.replace(new RegExp(mark, 'gi'), '…')
