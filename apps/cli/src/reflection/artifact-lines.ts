import { type Dossier, PackKind, type VoiceArtifacts } from '@parley/contracts'
import type { ArtifactsChange } from '@parley/voice'
import { neutralise } from '../render/neutralise.ts'
import type { ScreenLook } from '../render/screen-of.ts'

/** One generation: what each dossier says, and the packs that were made from them. */
export const generationLines = (
  { capsule, reflection_voice_dossier, prompt_packs }: VoiceArtifacts,
  { style }: ScreenLook,
): readonly string[] => [
  `${style.bold(inLine(capsule.displayName))}  ${capsule.facts} facts of ${capsule.sources} sources`,
  ...[reflection_voice_dossier.private, reflection_voice_dossier.public].flatMap((dossier) => [
    style.bold(`${dossier.audience} dossier`) +
      style.dim(`  ${dossier.maturity}, ${dossier.contentHash.slice(0, HASH_LENGTH)}`),
    ...dossierLines(dossier),
  ]),
  ...PackKind.options.map(
    (kind) =>
      `${style.bold(`pack ${kind}`)}${style.dim(`  ${prompt_packs[kind].contentHash.slice(0, HASH_LENGTH)}`)}`,
  ),
]

/** What one part says otherwise. */
export const changeLines = (
  { part, removed, added }: ArtifactsChange,
  { style }: ScreenLook,
): readonly string[] => [
  style.bold(part),
  ...removed.map((line) => style.bad(`- ${inLine(line)}`)),
  ...added.map((line) => style.good(`+ ${inLine(line)}`)),
]

const HASH_LENGTH = 12

const dossierLines = ({ lines, speakingStyle }: Dossier): readonly string[] => [
  ...lines.map(({ section, text }) => `  ${section}: ${inLine(text)}`),
  ...(speakingStyle === '' ? [] : [`  speaks: ${inLine(speakingStyle)}`]),
]

const inLine = (text: string): string => neutralise(text).replace(/\s+/g, ' ')
