import { PackKind, Surface } from '@parley/contracts'
import { syncMetadataOf } from '../artifacts/build-voice-artifacts.ts'
import { END_CALL_GUIDANCE, isPublic, placeholdersIn, toolsOf } from '../packs/build-prompt-pack.ts'
import { opensWithPolicy } from '../packs/policy-preamble.ts'
import { ALWAYS } from '../variables/variable-name.ts'
import { type Rule, unless } from './judged.ts'

/** Whether each pack can be run on as it is. */
const packs: Rule = ({ artifacts: { prompt_packs }, sha256 }) =>
  PackKind.options.flatMap((kind) => {
    const pack = prompt_packs[kind]
    const named = placeholdersIn(pack.prompt)
    const missing = ALWAYS.filter((name) => !named.includes(name))
    const isEnding = pack.prompt.includes(END_CALL_GUIDANCE) && pack.prompt.includes('end_call')
    return [
      ...unless(pack.kind === kind, `packs: ${kind} holds a pack of kind ${pack.kind}`),
      ...missing.map((name) => `placeholders: ${kind} does not name ${name}`),
      ...unless(
        named.join() === pack.placeholders.join(),
        `placeholders: ${kind} lists others than its prompt names`,
      ),
      ...unless(
        pack.tools.join() === toolsOf(kind).join(),
        `tools: ${kind} has ${pack.tools.join(', ') || 'none'}`,
      ),
      ...unless(opensWithPolicy(pack.prompt, sha256), `policy: ${kind} does not open with the policy`),
      ...unless(isEnding, `ending: ${kind} does not say how a call ends`),
      ...(isPublic(kind)
        ? named.filter((name) => PRIVATE_ONLY.has(name)).map((name) => `audience: ${kind} names ${name}`)
        : []),
    ]
  })

const PRIVATE_ONLY: ReadonlySet<string> = new Set([
  'session_recap',
  'user_context',
  'explore_next',
  'creator_name',
  'reflection_capsule_json',
  'reflection_persona_narrative',
])

const dossierHashes: Rule = ({ artifacts: { reflection_voice_dossier: dossiers, prompt_packs } }) =>
  PackKind.options.flatMap((kind) =>
    unless(
      prompt_packs[kind].dossierHash === dossiers[isPublic(kind) ? 'public' : 'private'].contentHash,
      `dossier: ${kind} was made from a dossier that is not of this build`,
    ),
  )

const syncMetadata: Rule = ({ artifacts }) => {
  const due = syncMetadataOf(artifacts)
  return Surface.options.flatMap((surface) => {
    const said = artifacts.sync_metadata[surface]
    const names = ['packKind', 'packContentHash', 'dossierHash', 'publishedScopeHash'] as const
    return names
      .filter((name) => said[name] !== due[surface][name])
      .map((name) => `sync: the ${name} of the surface ${surface} is not that of its pack`)
  })
}

export const PACK_RULES: readonly Rule[] = [packs, dossierHashes, syncMetadata]
