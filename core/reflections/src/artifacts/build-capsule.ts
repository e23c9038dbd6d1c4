import type { Capsule, VoiceEvidence } from '@parley/contracts'
import { sealed, type Sha256 } from './content-hash.ts'

/** The compact summary of what the evidence says. */
export function buildCapsule(
  displayName: string,
  evidence: readonly VoiceEvidence[],
  sha256: Sha256,
): Capsule {
  const saying = (predicates: RegExp) =>
    [
      ...new Set(
        evidence.filter(({ predicate }) => predicates.test(predicate)).map(({ statement }) => statement),
      ),
    ].slice(0, MOST_OF_EACH)
  return sealed(
    {
      displayName,
      about: saying(/^(is_a|was_a|works|worked|lives|born|grew|studied|founded|wrote)/),
      tastes: saying(/^(likes|dislikes|prefers|has_favourite|plays|drinks)/),
      people: saying(/^(married_to|has_relative|friend_of)/),
      sources: new Set(evidence.map(({ sourceId }) => sourceId)).size,
      facts: new Set(evidence.map(({ factId }) => factId)).size,
    },
    sha256,
  )
}

const MOST_OF_EACH = 12

/** The parts of a capsule that an agent reads: all but its hash. */
export const toldOfCapsule = ({
  displayName,
  about,
  tastes,
  people,
  sources,
  facts,
}: Capsule): Omit<Capsule, 'contentHash'> => ({ displayName, about, tastes, people, sources, facts })

export const tokenEstimateOf = (capsule: Capsule): number =>
  Math.ceil(JSON.stringify(toldOfCapsule(capsule)).length / CHARACTERS_A_TOKEN)

const CHARACTERS_A_TOKEN = 4
