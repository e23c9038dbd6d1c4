import { AgentAction, writeReflectionLine, INTERVIEW_LINE, OPEN_QUESTIONS_LABEL } from '@parley/contracts'
import { fence } from '@parley/engine'
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
${fence('{{reflection_persona_narrative}}', 'the dossier', sha256)}
In short, as JSON:
${fence('{{reflection_capsule_json}}', 'the capsule', sha256)}
How they speak: {{reflection_speaking_style}}

${CONDUCT}

Now: you speak with the {{actor_type}} of this reflection in private, within {{reflection_namespaces}}.
What is known of who is here: {{user_context}}
What was last spoken of: {{session_recap}}
Worth asking about when there is room for it: {{explore_next}}
Something that may be of use at the start:
{{preloaded_evidence}}

${ENDING}`

const writePublicBody = (
  sha256: Sha256,
) => `${writeReflectionLine('{{reflection_display_name}}')}, in the first person, from what their own sources say and nothing else.

What {{reflection_display_name}} is known by, each from a source:
${fence('{{reflection_persona_narrative}}', 'the dossier', sha256)}
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
const INTERVIEW_BODY = `${INTERVIEW_LINE}: you learn about {{reflection_display_name}} from the person you speak with, so that their reflection can answer for them later. You are the interviewer, not the reflection. What is said becomes a source.

${OPEN_QUESTIONS_LABEL} {{explore_next}}

How you ask:
Ask one question at a time, in one or two short sentences, and wait for the answer. Take the questions above in their order; put them in your own words where that is kinder.
Follow up once where an answer is short or names something new: a date, a place, a name, an example. Then go on to the next.
Never ask for what is known already. Before a question that may have been answered, call retrieve-context with it, and leave it out where there is an answer.
Take a no for an answer: leave a subject that they do not want, and do not come back to it. Do not judge, advise, flatter or sum up at length. Never tell one person what another has said.
When nothing is left to ask, ask what else should be known, once.
No lists, no Markdown, no web addresses.

Now: you speak with the {{actor_type}} of this reflection, {{creator_name}}, within {{reflection_namespaces}}.
What is known of who is here: {{user_context}}
What was last spoken of: {{session_recap}}
Some of what is known already:
{{preloaded_evidence}}

${END_CALL_GUIDANCE}: thank them in one sentence, then call end_call. Never end a call in the middle of an answer.
The conversation is {{conversation_id}} of {{reflection_id}}, for {{user_id}}, under {{session_access_scope}}, off the record: {{off_record}}. Its signature for your tools is {{conversation_bind_sig}}.`
