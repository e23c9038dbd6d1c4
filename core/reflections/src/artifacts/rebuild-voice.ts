import type { PrivateDossier, ReflectionId, VoiceArtifacts, WrittenSentence } from '@parley/contracts'
import { evaluateArtifacts } from './evaluate-artifacts.ts'
import { isSupported } from '../dossier/is-supported.ts'
import type { ArtifactStore } from '../ports/artifact-store.ts'
import { buildVoiceArtifacts } from './build-voice-artifacts.ts'
import type { Sha256 } from './content-hash.ts'

type RebuildOutcome = 'promoted' | 'rejected' | 'outrun' | 'unchanged' | 'gone'

/** Summarises the lines of a dossier. */
type Narrate = (dossier: PrivateDossier) => Promise<readonly WrittenSentence[]>

/**
 * Builds one generation: stores it as a candidate, judges it as stored, then promotes or rejects it. An unchanged result
 * makes no generation. Rules write the narrative without a narrator.
 */
export async function rebuildVoice(
  reflectionId: ReflectionId,
  store: Omit<ArtifactStore, 'requestMissingBuilds'>,
  sha256: Sha256,
  narrate?: Narrate,
): Promise<RebuildOutcome> {
  const build = await store.begin(reflectionId)
  if (!build) return 'gone'
  const plain = buildVoiceArtifacts(build.input, sha256)
  const written = narrate && (await writeNarrative(plain, await store.findPromoted(reflectionId), narrate))
  const built = written ? buildVoiceArtifacts({ ...build.input, written }, sha256) : plain
  if (await store.confirm(build, built)) return 'unchanged'
  const candidate = await store.addCandidate(build, built)
  const verdict = evaluateArtifacts(candidate, build.input.publishedNamespaces, sha256)
  return store.finish(build, verdict)
}

/** Unchanged lines keep their narrative. Changed lines get a new one, without statements that contradict them. */
async function writeNarrative(
  { reflection_voice_dossier: { private: dossier } }: VoiceArtifacts,
  promoted: VoiceArtifacts | undefined,
  narrate: Narrate,
): Promise<readonly WrittenSentence[]> {
  const before = promoted?.reflection_voice_dossier.private
  if (dossier.lines.length < MIN_LINES) return []
  if (before?.written && toComparableText(before) === toComparableText(dossier)) return before.written
  return (await narrate(dossier)).filter((sentence) => isSupported(sentence, dossier))
}

const toComparableText = ({ displayName, lines }: PrivateDossier): string =>
  JSON.stringify([displayName, lines])

const MIN_LINES = 3
