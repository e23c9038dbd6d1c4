import { type Dossier, PackKind, type VoiceArtifacts } from '@parley/contracts'

export const toPackPart = <Kind extends PackKind>(kind: Kind) => `pack ${kind}` as const

type ArtifactsPart = 'evidence' | `${'private' | 'public'} dossier` | ReturnType<typeof toPackPart<PackKind>>

export interface ArtifactsChange {
  readonly part: ArtifactsPart
  readonly removed: readonly string[]
  readonly added: readonly string[]
}

/** The parts of two generations that differ, line by line. */
export function diffArtifacts(one: VoiceArtifacts, other: VoiceArtifacts): readonly ArtifactsChange[] {
  const before = listParts(one)
  const after = listParts(other)
  return [...before]
    .map(([part, lines]) => ({
      part,
      removed: subtractLines(lines, after.get(part) ?? []),
      added: subtractLines(after.get(part) ?? [], lines),
    }))
    .filter(({ removed, added }) => removed.length + added.length > 0)
}

const listParts = ({
  voice_evidence_pack,
  reflection_voice_dossier: dossiers,
  prompt_packs,
}: VoiceArtifacts) =>
  new Map<ArtifactsPart, readonly string[]>([
    ['evidence', voice_evidence_pack.items.map(({ namespace, statement }) => `${namespace}: ${statement}`)],
    ['private dossier', listDossierLines(dossiers.private)],
    ['public dossier', listDossierLines(dossiers.public)],
    ...PackKind.options.map((kind) => {
      const { prompt, firstMessage, tools } = prompt_packs[kind]
      const lines = prompt.split('\n').filter((line) => line !== '' && !MARKED_LINE.test(line))
      return [
        toPackPart(kind),
        [...lines, `first message: ${firstMessage}`, `tools: ${tools.join(', ')}`],
      ] as const
    }),
  ])

const listDossierLines = ({
  displayName,
  lines,
  speakingStyle,
  maturity,
  scopeHash,
}: Dossier): readonly string[] => [
  `name: ${displayName}`,
  `maturity: ${maturity}`,
  `speaking style: ${speakingStyle}`,
  `scope: ${scopeHash}`,
  ...lines.map(({ section, text }) => `${section}: ${text}`),
]

/** The lines around policy and data contain marks that change with the enclosed text. */
const MARKED_LINE = /^\[(?:end of )?(?:policy|data) [0-9a-f]{20}[ \]]/

/** The lines without those of another list, counting repetitions. */
function subtractLines(lines: readonly string[], others: readonly string[]): readonly string[] {
  const left = new Map<string, number>()
  for (const line of others) left.set(line, (left.get(line) ?? 0) + 1)
  return lines.filter((line) => {
    const count = left.get(line) ?? 0
    left.set(line, count - 1)
    return count <= 0
  })
}
