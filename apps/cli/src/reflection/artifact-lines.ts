import { type Dossier, PackKind, type VoiceArtifacts } from '@parley/contracts'
import type { ArtifactsChange } from '@parley/reflections'
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

/** What two generations say otherwise: each line once, with the parts that it stands in. */
export function changeLines(changes: readonly ArtifactsChange[], { style }: ScreenLook): readonly string[] {
  const told = (sign: '-' | '+', lines: (change: ArtifactsChange) => readonly string[]) =>
    [...placesOf(changes, lines)].map(([line, parts]) => {
      const shown = `${sign} ${inLine(line)}`
      return `${sign === '-' ? style.bad(shown) : style.good(shown)}  ${style.dim(`(${inWords(parts)})`)}`
    })
  return [...told('-', ({ removed }) => removed), ...told('+', ({ added }) => added)]
}

/** A statement stands in the evidence under its namespace, in a dossier under its section, and in a pack as an entry. */
function placesOf(
  changes: readonly ArtifactsChange[],
  lines: (change: ArtifactsChange) => readonly string[],
): ReadonlyMap<string, ReadonlySet<string>> {
  const stated = new Set(
    changes.flatMap((change) => (change.part === 'evidence' ? lines(change).map(withoutPlace) : [])),
  )
  const places = new Map<string, Set<string>>()
  for (const change of changes) {
    for (const line of lines(change)) {
      const statement = withoutPlace(line)
      const key = stated.has(statement) ? statement : line
      places.set(key, (places.get(key) ?? new Set()).add(change.part))
    }
  }
  return places
}

const withoutPlace = (line: string): string => line.replace(/^(?:- |[\w-]+: )/, '')

/** "evidence, private dossier, every pack" */
function inWords(parts: ReadonlySet<string>): string {
  const packs = PackKind.options.filter((kind) => parts.has(`pack ${kind}`))
  const others = [...parts].filter((part) => !part.startsWith('pack '))
  if (packs.length === 0) return others.join(', ')
  const named = packs.length === PackKind.options.length ? 'every pack' : `packs ${packs.join(', ')}`
  return [...others, packs.length === 1 ? `pack ${packs[0]}` : named].join(', ')
}

const HASH_LENGTH = 12

const dossierLines = ({ lines, speakingStyle }: Dossier): readonly string[] => [
  ...lines.map(({ section, text }) => `  ${section}: ${inLine(text)}`),
  ...(speakingStyle === '' ? [] : [`  speaks: ${inLine(speakingStyle)}`]),
]

const inLine = (text: string): string => neutralise(text).replace(/\s+/g, ' ')
