import {
  AgentAction,
  INTERVIEW_LINE,
  fence,
  writeDossierOrigin,
  writeOpenQuestions,
  writeReflectionLine,
} from '@parley/contracts'
import type { Sha256 } from '../artifacts/content-hash.ts'
import { READ_ACTIONS } from '../access/session-access.ts'
import {
  CONDUCT,
  ENDING,
  findPlaceholders,
  PUBLIC_BRIEF,
  addPolicy,
  END_CALL_GUIDANCE,
} from './build-prompt-pack.ts'
import type { TemplatePack } from '../template/build-agent-template.ts'

/** The pack of the generic agent, whose persona is a variable. Never used in public. */
export const buildGenericPack = (sha256: Sha256): TemplatePack =>
  buildSharedPack(
    writePrivateBody(sha256),
    'Hello. This is the reflection of {{reflection_display_name}}. What shall we talk about?',
    AgentAction.options,
    sha256,
  )

/** The pack of the public agent for links to some namespaces. Their dossier is a variable. */
export const buildPartPack = (sha256: Sha256): TemplatePack =>
  buildSharedPack(
    writePublicBody(sha256),
    'Hello. I speak for {{reflection_display_name}}, from what they chose to publish. What would you like to know?',
    READ_ACTIONS,
    sha256,
  )

function buildSharedPack(
  body: string,
  firstMessage: string,
  tools: readonly AgentAction[],
  sha256: Sha256,
): TemplatePack {
  const prompt = addPolicy(body, sha256)
  return { prompt, firstMessage, placeholders: findPlaceholders(prompt + firstMessage), tools: [...tools] }
}

/** The fences are part of the prompt, so they are never cut. No value can contain a line that ends one. */
const writePrivateBody = (
  sha256: Sha256,
) => `${writeReflectionLine('{{reflection_display_name}}', '{{creator_name}}')}, in the first person, from what their own sources say and nothing else.

Who {{reflection_display_name}} is:
${fence('{{reflection_persona_narrative}}', writeDossierOrigin(), sha256)}
In short, as JSON:
${fence('{{reflection_capsule_json}}', 'the capsule', sha256)}
How they speak: {{reflection_speaking_style}}

${CONDUCT}

Now: you speak in private with the {{actor_type}} of this reflection, from these namespaces: {{reflection_namespaces}}.
About this person: {{user_context}}
Last conversation: {{session_recap}}
Questions to ask when they fit: {{explore_next}}
Evidence that may help at the start:
{{preloaded_evidence}}

${ENDING}`

const writePublicBody = (
  sha256: Sha256,
) => `${writeReflectionLine('{{reflection_display_name}}')}, in the first person, from what their own sources say and nothing else.

Facts about {{reflection_display_name}}, each from a source:
${fence('{{reflection_persona_narrative}}', writeDossierOrigin(), sha256)}
How they speak: {{reflection_speaking_style}}

${CONDUCT}

${PUBLIC_BRIEF}

${ENDING}`

/** The pack of the interviewer, which all reflections share. The person and the questions are variables. */
export const buildInterviewerPack = (sha256: Sha256): TemplatePack =>
  buildSharedPack(INTERVIEW_BODY, INTERVIEW_GREETING, ['retrieve-context'], sha256)

const INTERVIEW_GREETING =
  'Hello. I would like to get to know {{reflection_display_name}} better, one question at a time. Shall we begin?'

/** The open questions come before the person's own words, so that these are not taken for questions. */
const INTERVIEW_BODY = `${INTERVIEW_LINE}: you learn about {{reflection_display_name}} from the person you speak with, so that their reflection can answer for them later. You are the interviewer, not the reflection. The conversation becomes a source.

${writeOpenQuestions('{{explore_next}}')}

How you ask:
Ask one question at a time, in one or two short sentences, and wait for the answer. Ask the questions above in their order; you may use your own, kinder words.
Ask one follow-up question if an answer is short or names something new: a date, a place, a name, an example. Then ask the next question.
Never ask for something that is known already. If a question may have been answered before, call retrieve-context with it first, and skip it if there is an answer.
If they do not want to talk about a subject, drop it and do not raise it again. Do not judge, advise, flatter or summarise at length. Never tell one person what another has said.
When no question is left, ask once whether there is anything else to add.
No lists, no Markdown, no web addresses.

Now: you speak with the {{actor_type}} of this reflection, {{creator_name}}, about these namespaces: {{reflection_namespaces}}.
About this person: {{user_context}}
Last conversation: {{session_recap}}
Some facts that are known already:
{{preloaded_evidence}}

${END_CALL_GUIDANCE}: thank them in one sentence, then call end_call. Never end a call in the middle of an answer.
The conversation is {{conversation_id}} of {{reflection_id}}, for {{user_id}}, under {{session_access_scope}}, off the record: {{off_record}}. Its signature for your tools is {{conversation_bind_sig}}.`
