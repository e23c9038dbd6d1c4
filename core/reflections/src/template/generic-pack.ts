import { AgentAction, writeReflectionLine } from '@parley/contracts'
import { fence } from '@parley/engine'
import type { Sha256 } from '../artifacts/content-hash.ts'
import { READ } from '../modes/session-actions.ts'
import { CONDUCT, ENDING, placeholdersIn, PUBLIC_BRIEF } from '../packs/build-prompt-pack.ts'
import { withPolicy } from '../packs/policy-preamble.ts'
import type { TemplatePack } from './build-elevenlabs-agent-template.ts'

/** The pack of the generic agent: each session brings the persona. Never used in public. */
export const genericPack = (sha256: Sha256): TemplatePack =>
  packOf(
    privateBody(sha256),
    'Hello. This is the reflection of {{reflection_display_name}}. What shall we talk about?',
    AgentAction.options,
    sha256,
  )

/** The pack of the public agent for links to some namespaces: each session brings the dossier of these. */
export const partPack = (sha256: Sha256): TemplatePack =>
  packOf(
    publicBody(sha256),
    'Hello. I speak for {{reflection_display_name}}, from what they chose to publish. What would you like to know?',
    READ,
    sha256,
  )

function packOf(
  body: string,
  firstMessage: string,
  tools: readonly AgentAction[],
  sha256: Sha256,
): TemplatePack {
  const prompt = withPolicy(body, sha256)
  return { prompt, firstMessage, placeholders: placeholdersIn(prompt + firstMessage), tools: [...tools] }
}

/** The fences are part of the prompt, so they are never cut. No value can contain a line that ends one. */
const privateBody = (
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

const publicBody = (
  sha256: Sha256,
) => `${writeReflectionLine('{{reflection_display_name}}')}, in the first person, from what their own sources say and nothing else.

What {{reflection_display_name}} is known by, each from a source:
${fence('{{reflection_persona_narrative}}', 'the dossier', sha256)}
How they speak: {{reflection_speaking_style}}

${CONDUCT}

${PUBLIC_BRIEF}

${ENDING}`
