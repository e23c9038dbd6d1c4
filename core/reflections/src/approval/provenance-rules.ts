import type { VoiceEvidence } from '@parley/contracts'
import { publicStatement } from '../dossier/public-statement.ts'
import { namespacesHash } from '../variables/build-dynamic-variables.ts'
import { type Judged, publishedOf, type Rule, unless } from './judged.ts'

/** Everything public is traced to a fact of a namespace that was published when it was built. */
function publicProvenance(judged: Judged): readonly string[] {
  const { reflection_voice_dossier: dossiers } = judged.artifacts
  const published = publishedOf(judged)
  const saying = ({ statement }: VoiceEvidence) => publicStatement(statement, dossiers.private)
  return dossiers.public.lines.flatMap(({ text, factIds }) =>
    unless(
      factIds.every((factId) => published.some((item) => item.factId === factId && saying(item) === text)),
      `provenance: a line of the public dossier has no published evidence (${factIds.join(', ')})`,
    ),
  )
}

const privateProvenance: Rule = ({
  artifacts: { reflection_voice_dossier: dossiers, voice_evidence_pack },
}) =>
  dossiers.private.lines.flatMap(({ text, factIds }) =>
    unless(
      factIds.every((factId) =>
        voice_evidence_pack.items.some((item) => item.factId === factId && item.statement === text),
      ),
      `provenance: a line of the private dossier has no evidence (${factIds.join(', ')})`,
    ),
  )

const publicScope: Rule = ({
  artifacts: { reflection_voice_dossier: dossiers },
  publishedNamespaces,
  sha256,
}) =>
  unless(
    dossiers.public.scopeHash === namespacesHash(publishedNamespaces, sha256),
    'scope: the public dossier was built from another scope than the one that is published',
  )

export const PROVENANCE_RULES: readonly Rule[] = [publicProvenance, publicScope, privateProvenance]
