import {
  type Dossier,
  type DossierSection,
  type PackKind,
  type PromptPack,
  AgentAction,
  writeReflectionLine,
} from '@parley/contracts'
import { fence } from '@parley/engine'
import { sealed, type Sha256 } from '../artifacts/content-hash.ts'
import { READ } from '../modes/session-actions.ts'
import { withPolicy } from './policy-preamble.ts'

/** One prompt pack from one dossier. */
export function buildPromptPack(kind: PackKind, dossier: Dossier, sha256: Sha256): PromptPack {
  const name = speakable(dossier.displayName)
  const body = [
    opening(kind, name, makerOf(dossier)),
    `What ${name} is known by, each from a source:`,
    fence(knownOf(dossier), `the dossier of ${name}`, sha256),
    dossier.speakingStyle === '' ? '' : `How ${name} speaks: ${dossier.speakingStyle}`,
    CONDUCT,
    BRIEFS[kind],
    ENDING,
  ]
  const prompt = withPolicy(body.filter((part) => part !== '').join('\n\n'), sha256)
  return sealed(
    {
      kind,
      prompt,
      firstMessage: FIRST_MESSAGES[kind](name),
      placeholders: placeholdersIn(prompt),
      tools: [...toolsOf(kind)],
      dossierHash: dossier.contentHash,
    },
    sha256,
  )
}

export const isPublic = (kind: PackKind): boolean => kind.startsWith('public_')

export const toolsOf = (kind: PackKind): readonly AgentAction[] =>
  isPublic(kind) ? READ : AgentAction.options

/** The names of the variables in a text. */
export const placeholdersIn = (prompt: string): string[] =>
  [...new Set([...prompt.matchAll(/\{\{([a-z_]+)\}\}/g)].map(([, name = '']) => name))].toSorted()

/** The name that facts use; in public it is the name of the reflection. */
const makerOf = (dossier: Dossier): string | undefined =>
  dossier.audience === 'private' && dossier.creatorName !== undefined
    ? speakable(dossier.creatorName)
    : undefined

function opening(kind: PackKind, name: string, maker: string | undefined): string {
  const who = `${writeReflectionLine(name, maker)}, in the first person, from what their own sources say and nothing else.`
  const thin = kind.endsWith('_emerging')
    ? ` Little is known yet. Say so when it matters, and ask rather than guess.`
    : ''
  return `${who}${thin}`
}

const TITLES: Readonly<Record<DossierSection, string>> = {
  who: 'Who they are',
  life: 'Life',
  work: 'Work',
  people: 'People',
  tastes: 'Tastes',
  views: 'Views and plans',
  else: 'More',
}

function knownOf(dossier: Dossier): string {
  const { lines, narrative } = dossier
  const isWritten = 'written' in dossier && dossier.written !== undefined
  if (lines.length === 0) return NOTHING_KNOWN
  const sections = [...Map.groupBy(lines, ({ section }) => section)].map(
    ([section, of]) => `${TITLES[section]}:\n${of.map(({ text }) => `- ${speakable(text)}`).join('\n')}`,
  )
  return [...(isWritten ? [`In short:\n${speakable(narrative)}`] : []), ...sections].join('\n\n')
}

export const NOTHING_KNOWN = 'Nothing is known yet.'

/** On one line, without variables. */
const speakable = (text: string): string =>
  text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/\{(?=\{)/g, '{ ')
    .toWellFormed()
    .trim()

export const CONDUCT = `Before you answer about facts, call retrieve-context with the question and answer from what it gives, naming the source. Where it gives nothing, say that you do not know. What it gives as a correction counts above everything else that you were told. Never make up a memory, a date or a name.
Speak in a few short sentences, as one speaks. No lists, no Markdown, no web addresses.`

export const PUBLIC_BRIEF = `Now: you speak with somebody of the public, who is here as {{actor_type}}, about {{reflection_display_name}}, within {{reflection_namespaces}}. Something that may be of use at the start:
{{preloaded_evidence}}`

const PRIVATE_BRIEF = `Now: you speak with the {{actor_type}} of this reflection in private, within {{reflection_namespaces}}.
What is known of who is here: {{user_context}}
Worth asking about when there is room for it: {{explore_next}}
Something that may be of use at the start:
{{preloaded_evidence}}`

const RECAP = 'What was last spoken of: {{session_recap}}'

/** The part of a prompt that is filled in for each session. */
const BRIEFS: Readonly<Record<PackKind, string>> = {
  private_standard: PRIVATE_BRIEF,
  private_memory: `${PRIVATE_BRIEF}\n${RECAP}`,
  // It also serves the memory surface; without an earlier conversation the recap is empty.
  private_emerging: `${PRIVATE_BRIEF}\n${RECAP}`,
  public_standard: PUBLIC_BRIEF,
  public_emerging: PUBLIC_BRIEF,
}

/** Approval requires these words: a call that does not end costs money. */
export const END_CALL_GUIDANCE = 'Wrap up when they say goodbye or have nothing more to ask'
export const ENDING = `${END_CALL_GUIDANCE}: say one closing sentence, then call end_call. Never end a call in the middle of a question.
The conversation is {{conversation_id}} of {{reflection_id}}, for {{user_id}}, under {{session_access_scope}}, off the record: {{off_record}}. Its signature for your tools is {{conversation_bind_sig}}.`

const FIRST_MESSAGES: Readonly<Record<PackKind, (name: string) => string>> = {
  private_standard: (name) => `Hello. This is ${name}'s reflection. What shall we talk about?`,
  private_memory: (name) =>
    `Good to hear you again. This is ${name}'s reflection. Shall we go on where we were?`,
  private_emerging: (name) => `Hello. I am only becoming ${name}'s reflection. Tell me something, or ask.`,
  public_standard: (name) =>
    `Hello. I speak for ${name}, from what they chose to publish. What would you like to know?`,
  public_emerging: (name) =>
    `Hello. I speak for ${name}, and there is only a little published yet. What would you like to know?`,
}
